# Makes one file of the page of a proof: cmake -DFROM=clients/web -DTHEOREMS=theorems.def -DTO=FILE -P single_page.cmake
# Style sheets become <style>, the modules one <script>: each module becomes a function that returns its exports, after
# the modules that it imports; indentation and comments are left out. So the page works from disk, where browsers
# load no modules. -DC=FILE.c also makes the array cl_web_page, of the page's bytes and a zero. The words of theorems
# come from the table of the solver.
cmake_minimum_required(VERSION 3.25)
file(READ "${FROM}/play.html" page)

# Adds a module after those that it imports. In each file `import { a } from "./b.mjs";` or `import * as b from ...`.
function(add_module name)
  if(name IN_LIST modules)
    return()
  endif()
  file(READ "${FROM}/${name}.mjs" text)
  string(REGEX MATCHALL "from \"\\./[a-z_]+\\.mjs\"" imports "${text}")
  foreach(import IN LISTS imports)
    string(REGEX REPLACE ".*/([a-z_]+)\\.mjs.*" "\\1" other "${import}")
    add_module(${other})
  endforeach()
  string(REGEX REPLACE "import (\\{[^}]*\\}|\\* as [a-z_]+) from \"\\./([a-z_]+)\\.mjs\";" "const \\1 = modules.\\2;"
    text "${text}")
  string(REPLACE "const * as " "const " text "${text}")
  string(REGEX MATCHALL "\nexport (async )?(const|function|class) [A-Za-z0-9_]+" exports "${text}")
  string(REGEX REPLACE "[^;]*(const|function|class) " "" exports "${exports}")
  string(REPLACE ";" ", " exports "${exports}")
  string(REPLACE "\nexport " "\n" text "${text}")
  string(REGEX REPLACE "\n +" "\n" text "\n${text}")
  string(REGEX REPLACE "\n//[^\n]*" "" text "${text}")
  string(REGEX REPLACE "\n/\\*\\*[^\n]*\\*/\n" "\n" text "${text}")
  string(APPEND script "modules.${name} = (() => {${text}return { ${exports} };\n})();\n")
  set(script "${script}" PARENT_SCOPE)
  list(APPEND modules ${name})
  set(modules "${modules}" PARENT_SCOPE)
endfunction()

set(modules "")
set(script "const modules = {};\n")
add_module(play)
string(REPLACE "<script type=\"module\" src=\"play.mjs\"></script>" "<script type=\"module\">\n${script}</script>"
  page "${page}")

foreach(sheet style play)
  file(READ "${FROM}/${sheet}.css" text)
  string(REGEX REPLACE "\n +" "\n" text "${text}")
  string(REGEX REPLACE "/\\*([^*]|\\*[^/])*\\*/\n" "" text "${text}")
  string(REPLACE "<link rel=\"stylesheet\" href=\"${sheet}.css\" />" "<style>\n${text}</style>" page "${page}")
endforeach()

# Rows of theorems.def become lists of JSON: adjacent strings are one, NULL is null.
file(READ "${THEOREMS}" text)
string(REGEX REPLACE "^/\\*.*\\*/\n" "" text "${text}")
string(REGEX REPLACE "\"[ \n\t]+\"" "" text "${text}")
string(REPLACE "NULL" "null" text "${text}")
string(REPLACE "THEOREM(" "[" text "${text}")
string(REPLACE ")\n" "],\n" text "${text}")
string(REPLACE "id=\"theorems\">[]<" "id=\"theorems\">[\n${text}null]<" page "${page}")

if(page MATCHES "=\"(style|play)\\.(css|mjs)\"" OR page MATCHES "\nimport |from \"\\./")
  message(FATAL_ERROR "${FROM}: a part of the page is not in it: ${CMAKE_MATCH_0}")
endif()
file(WRITE "${TO}" "${page}")
if(DEFINED C)
  file(READ "${TO}" hex HEX)
  string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
  file(WRITE "${C}" "/* Made of clients/web by single_page.cmake; do not edit. */
#include \"clients/web_page.h\"

const unsigned char cl_web_page[] = {
${hex}0};
")
endif()
