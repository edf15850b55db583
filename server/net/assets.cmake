# Makes the table of assets.h: cmake -DFROM=clients/web -DTO=FILE.c -P assets.cmake
# Every file whose name ends as one of these is part of it. All but the page itself (index.html) stand in a folder that
# is named by a digest of them, so that another version of them has other addresses; the page names them there.
set(type_html "text/html; charset=utf-8")
set(type_css "text/css; charset=utf-8")
set(type_js "text/javascript; charset=utf-8")
set(type_mjs "text/javascript; charset=utf-8")
set(type_json "application/json")
set(type_webmanifest "application/manifest+json")
set(type_svg "image/svg+xml")
set(type_png "image/png")
set(type_ico "image/x-icon")
set(type_woff2 "font/woff2")
set(type_txt "text/plain; charset=utf-8")

# Adds a row. `from`: the file that has the bytes, `path`: its address.
function(add_file from path fixed)
  string(REGEX MATCH "\\.([a-z0-9]+)$" ending "${path}")
  set(type "${type_${CMAKE_MATCH_1}}")
  file(SHA256 "${from}" digest)
  string(SUBSTRING "${digest}" 0 32 digest)
  file(SIZE "${from}" size)
  file(READ "${from}" hex HEX)
  string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
  set(bytes "${bytes}static const unsigned char file${number}[] = {\n${hex}0};\n" PARENT_SCOPE)
  string(APPEND rows "\t{\"${path}\", \"${type}\", \"\\\"${digest}\\\"\", file${number}, ${size}, ${fixed}},\n")
  set(rows "${rows}" PARENT_SCOPE)
  math(EXPR next "${number} + 1")
  set(number ${next} PARENT_SCOPE)
endfunction()

file(GLOB_RECURSE found RELATIVE "${FROM}" "${FROM}/*")
list(SORT found)
set(files "")
set(digests "")
foreach(file IN LISTS found)
  string(REGEX MATCH "\\.([a-z0-9]+)$" ending "${file}")
  if(NOT DEFINED type_${CMAKE_MATCH_1} OR file STREQUAL "index.html")
    continue()
  endif()
  if(NOT file MATCHES "^[A-Za-z0-9._/-]+$")
    message(FATAL_ERROR "${FROM}/${file}: its name would need escapes in an address")
  endif()
  file(SHA256 "${FROM}/${file}" digest)
  list(APPEND files "${file}")
  string(APPEND digests "${file} ${digest}\n")
endforeach()
string(SHA256 folder "${digests}")
string(SUBSTRING "${folder}" 0 32 folder)

set(bytes "")
set(rows "")
set(number 0)
file(READ "${FROM}/index.html" page)
foreach(file IN LISTS files)
  add_file("${FROM}/${file}" "/${folder}/${file}" true)
  string(REPLACE "=\"${file}\"" "=\"${folder}/${file}\"" page "${page}")
endforeach()
file(WRITE "${TO}.html" "${page}")
add_file("${TO}.html" /index.html false)
file(REMOVE "${TO}.html")
file(WRITE "${TO}.new" "/* Made of clients/web by assets.cmake; do not edit. */
#include \"server/net/assets.h\"

${bytes}
const struct nt_asset nt_assets[] = {
${rows}\t{0},
};
")
file(RENAME "${TO}.new" "${TO}")
