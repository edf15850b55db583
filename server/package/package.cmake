# Debian packages by CPack: `./dev package`. The preset `package` lays the files out for them. Components are packages:
# proofd (the programs), a package for each library by its soname, libproofd-dev, and, where libnats is, proofd-cluster.
option(PD_PACKAGE "lay out the installed files for Debian packages" OFF)
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
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENTS_ALL proofd libproofd0 libproofd-probe0 libproofd-dev)
if(TARGET proofd-nats)
  list(APPEND CPACK_COMPONENTS_ALL proofd-cluster)
endif()
set(CPACK_PACKAGE_NAME proofd)
set(CPACK_PACKAGE_CONTACT "The proofd developers <proofd@localhost>" CACHE STRING "maintainer of the packages")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# A package: its component, section, one line on it, and a paragraph.
function(pd_package component section summary text)
  string(TOUPPER ${component} name)
  set(CPACK_DEBIAN_${name}_PACKAGE_NAME ${component} PARENT_SCOPE)
  set(CPACK_DEBIAN_${name}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_DEBIAN_${name}_DESCRIPTION "${summary}\n${text}" PARENT_SCOPE)
endfunction()
pd_package(proofd science "proof server for two-player games" "proofd answers questions about positions of two-player games by
proof-number search: who wins, or what the value is. It takes questions as
jobs, searches them for as long as they take, and keeps all proved facts on
disk across crashes and restarts. proofctl is its client and solves locally as
well; proofcheck verifies certificates on its own.")
pd_package(libproofd0 libs "client library of the proof server proofd" "libproofd is a blocking client in C of proofd, which proves positions of
two-player games: it submits jobs, waits for them, and queries positions.")
pd_package(libproofd-probe0 libs "probes the proven positions of proofd" "libproofd-probe reads proven positions of two-player games from a data
directory of proofd, next to the server or without one.")
pd_package(libproofd-dev libdevel "development files of libproofd and libproofd-probe" "Headers, pkg-config files and examples for programs in C or C++ that use
libproofd, the client library of the proof server proofd, or libproofd-probe,
which reads proven positions from its data directory.")
pd_package(proofd-cluster science "lets proofd search on many machines" "Lets a proofd have workers on other machines, and a machine be such a worker:
both load libproofd-nats.so and connect to a NATS server.")

set(CPACK_DEBIAN_PROOFD_PACKAGE_DEPENDS "adduser, init-system-helpers (>= 1.54~)")
set(pd_same "(= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
set(CPACK_DEBIAN_LIBPROOFD-DEV_PACKAGE_DEPENDS "libproofd0 ${pd_same}, libproofd-probe0 ${pd_same}")
set(CPACK_DEBIAN_PROOFD-CLUSTER_PACKAGE_DEPENDS "proofd ${pd_same}")
foreach(script postinst prerm postrm conffiles)
  list(APPEND CPACK_DEBIAN_PROOFD_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/server/package/${script})
endforeach()
foreach(package libproofd0 libproofd-probe0 libproofd-dev proofd-cluster)
  install(FILES LICENSE ${PROJECT_BINARY_DIR}/doc/CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package}
    COMPONENT ${package})
endforeach()
foreach(package LIBPROOFD0 LIBPROOFD-PROBE0)
  set(CPACK_DEBIAN_${package}_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/server/package/triggers)
endforeach()
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/server/package/compress.cmake)
include(CPack)
