# The documentation as a static site in build/PRESET/site, where cmark-gfm and mandoc are (site.py).
find_program(CMARK_GFM cmark-gfm)
find_program(MANDOC mandoc)
if(NOT Python3_FOUND OR NOT CMARK_GFM OR NOT MANDOC)
  message(STATUS "without Python 3, cmark-gfm or mandoc: no documentation as a site")
  return()
endif()
file(GLOB pages CONFIGURE_DEPENDS *.md)
foreach(folder clients proto server solver store tests)
  file(GLOB_RECURSE found CONFIGURE_DEPENDS ${folder}/*.md)
  list(APPEND pages ${found})
endforeach()
set(manuals ${PROJECT_BINARY_DIR}/proofctl.1 ${PROJECT_SOURCE_DIR}/clients/proofcheck.1)
foreach(page proofd.8 proofd-worker.8 proofd.conf.5)
  list(APPEND manuals ${PROJECT_SOURCE_DIR}/server/daemon/${page})
endforeach()
add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/site/search.js
  COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/clients/site/site.py ${PROJECT_SOURCE_DIR}
    ${PROJECT_BINARY_DIR}/site ${PROJECT_VERSION} ${manuals}
  DEPENDS proofctl ${pages} clients/site/site.py clients/site/page.html clients/site/site.css clients/site/find.js
    clients/web/style.css VERBATIM)
add_custom_target(site ALL DEPENDS ${PROJECT_BINARY_DIR}/site/search.js)
install(DIRECTORY ${PROJECT_BINARY_DIR}/site/ DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/proofd-doc/html
  COMPONENT proofd-doc)
