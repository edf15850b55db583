# A Debian package by CPack: `./dev package`. The preset `package` lays the files out for it.
option(PD_PACKAGE "lay out the installed files for a Debian package" OFF)
if(NOT PD_PACKAGE)
  return()
endif()

install(FILES server/daemon/proofd.conf.example DESTINATION /etc/proofd RENAME proofd.conf)
install(FILES server/package/README.Debian DESTINATION ${CMAKE_INSTALL_DOCDIR})

# The date of the changelog: that of the commit, so that the same tree gives the same package.
execute_process(COMMAND git log -1 --format=%cd --date=rfc WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
  OUTPUT_VARIABLE CPACK_PD_DATE OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT CPACK_PD_DATE)
  string(TIMESTAMP CPACK_PD_DATE "%a, %d %b %Y %H:%M:%S +0000" UTC)
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_SET_DESTDIR ON) # for what lies in /etc
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_NAME proofd)
set(CPACK_PACKAGE_CONTACT "The proofd developers <proofd@localhost>" CACHE STRING "maintainer of the package")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "proof server for two-player games")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "proofd answers questions about positions of two-player games by
proof-number search: who wins, or what the value is. It takes questions as
jobs, searches them for as long as they take, and keeps all proved facts on
disk across crashes and restarts. proofctl is its client and solves locally as
well; proofcheck verifies certificates on its own.")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# libwebsockets loads its part for libuv at run time, where dpkg-shlibdeps does not see it.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "adduser, libwebsockets-evlib-uv, init-system-helpers (>= 1.54~)")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
foreach(script postinst prerm postrm conffiles)
  list(APPEND CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/server/package/${script})
endforeach()
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/server/package/compress.cmake)
include(CPack)
