# What Debian wants of the files of each package: manual pages compressed, a copyright file and a changelog of its own.
# CPack runs this on the files before it packs them.
find_program(GZIP gzip REQUIRED)
foreach(package ${CPACK_COMPONENTS_ALL})
  set(root "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${package}")
  set(doc "${root}/usr/share/doc/${package}")
  file(GLOB pages "${root}/usr/share/man/man*/*.[1-9]")
  file(RENAME "${doc}/LICENSE" "${doc}/copyright")
  file(RENAME "${doc}/CHANGELOG.md" "${doc}/changelog")
  file(WRITE "${doc}/changelog.Debian" "${package} (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) stable; \
urgency=medium\n\n  * See changelog.gz.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${CPACK_PD_DATE}\n")
  execute_process(COMMAND ${GZIP} -9nf ${pages} "${doc}/changelog" "${doc}/changelog.Debian"
    COMMAND_ERROR_IS_FATAL ANY)
endforeach()
