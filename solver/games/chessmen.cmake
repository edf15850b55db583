# Makes the outlines of board_svg.h: cmake -DFROM=clients/web/chessmen.mjs -DTO=FILE.c -P chessmen.cmake
file(READ "${FROM}" text)
string(REGEX REPLACE "\" \\+\n +\"" "" text "${text}")
string(REPLACE ";" "," text "${text}")
string(REGEX MATCHALL "\"[^\"\n]*\"" outlines "${text}")
list(LENGTH outlines count)
if(NOT count EQUAL 7)
  message(FATAL_ERROR "${FROM}: has ${count} outlines, not those of six men and the tilde")
endif()
list(JOIN outlines ",\n\t" outlines)
file(WRITE "${TO}" "/* Made of clients/web/chessmen.mjs by chessmen.cmake; do not edit. */
#include \"solver/games/board_svg.h\"

const char *const game_outlines[] = {
\t${outlines},
};
")
