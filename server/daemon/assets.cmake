# Makes the table of assets.h: cmake -DFROM=clients/web -DTO=FILE.c -P assets.cmake
# Every file whose name ends as one of these is part of it.
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

file(GLOB_RECURSE files RELATIVE "${FROM}" "${FROM}/*")
list(SORT files)
set(bytes "")
set(rows "")
set(number 0)
foreach(file IN LISTS files)
  string(REGEX MATCH "\\.([a-z0-9]+)$" ending "${file}")
  set(ending "${CMAKE_MATCH_1}")
  if(NOT DEFINED type_${ending})
    continue()
  endif()
  if(NOT file MATCHES "^[A-Za-z0-9._/-]+$")
    message(FATAL_ERROR "${FROM}/${file}: its name would need escapes in an address")
  endif()
  file(SHA256 "${FROM}/${file}" digest)
  string(SUBSTRING "${digest}" 0 32 digest)
  file(SIZE "${FROM}/${file}" size)
  file(READ "${FROM}/${file}" hex HEX)
  string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
  string(APPEND bytes "static const unsigned char file${number}[] = {\n${hex}0};\n")
  string(APPEND rows "\t{\"/${file}\", \"${type_${ending}}\", \"\\\"${digest}\\\"\", file${number}, ${size}},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE "${TO}.new" "/* Made of clients/web by assets.cmake; do not edit. */
#include \"server/daemon/assets.h\"

${bytes}
const struct dm_asset dm_assets[] = {
${rows}\t{0},
};
")
file(RENAME "${TO}.new" "${TO}")
