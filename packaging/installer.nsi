; The Windows installer, for NSIS 3: packaging/installer.py calls makensis with the names below.
;   VERSION          0.1.0
;   VERSION_NUMBERS  0.1.0.0
;   SOURCE           the program folder, dist\windows\hyperscope or dist\hyperscope
;   ICON             hyperscope.ico
;   OUT              the installer to make
;   KILOBYTES        the size of the program folder
;
; For one user, without admin rights: everything is in the user's own folders and registry. /S installs in silence.
; A version that is there is replaced whole or not at all: the new one is unpacked beside it, then both change places.
; Files of the user in the program's folder are kept, when it is replaced and when it is removed.

Unicode true
!include "MUI2.nsh"
!include "LogicLib.nsh"
!include "FileFunc.nsh"

!define UNINSTALL_KEY "Software\Microsoft\Windows\CurrentVersion\Uninstall\Hyperscope"
!define PROGRAM_ID "Hyperscope.Session"

Name "Hyperscope ${VERSION}"
OutFile "${OUT}"
RequestExecutionLevel user
InstallDir "$LOCALAPPDATA\Programs\Hyperscope"
SetCompressor /SOLID lzma
BrandingText "Hyperscope ${VERSION}"

VIProductVersion "${VERSION_NUMBERS}"
VIAddVersionKey "ProductName" "Hyperscope"
VIAddVersionKey "ProductVersion" "${VERSION}"
VIAddVersionKey "FileVersion" "${VERSION}"
VIAddVersionKey "FileDescription" "Installs Hyperscope for one user"
VIAddVersionKey "LegalCopyright" "Apache-2.0"

!define MUI_ICON "${ICON}"
!define MUI_UNICON "${ICON}"
!define MUI_FINISHPAGE_RUN "$INSTDIR\hyperscope.exe"
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"

; What is ours in a program folder: nothing else is ever removed.
!macro RemoveProgram FOLDER
  RMDir /r "${FOLDER}\_internal"
  RMDir /r "${FOLDER}\licences"
  Delete "${FOLDER}\hyperscope.exe"
  Delete "${FOLDER}\hyperscope-cli.exe"
  Delete "${FOLDER}\hyperscope.ico"
  Delete "${FOLDER}\uninstall.exe"
!macroend

!macro TellTheShell
  System::Call 'shell32::SHChangeNotify(i 0x08000000, i 0, p 0, p 0)'
!macroend

!macro Fail TEXT
  DetailPrint "${TEXT}"
  MessageBox MB_OK|MB_ICONSTOP "${TEXT}" /SD IDOK
  SetErrorLevel 2
  Abort "${TEXT}"
!macroend

Section "Hyperscope"
  SetShellVarContext current
  ; A folder that holds something, but not us, is somebody else's.
  ${If} ${FileExists} "$INSTDIR\*.*"
  ${AndIfNot} ${FileExists} "$INSTDIR\hyperscope-cli.exe"
    !insertmacro Fail "$INSTDIR holds something that is not Hyperscope. Nothing was changed."
  ${EndIf}
  ; What an installation that was cut off left behind.
  !insertmacro RemoveProgram "$INSTDIR.new"
  RMDir "$INSTDIR.new"
  !insertmacro RemoveProgram "$INSTDIR.old"
  RMDir "$INSTDIR.old"

  SetOutPath "$INSTDIR.new"
  ClearErrors
  File /r "${SOURCE}\*"
  File "/oname=hyperscope.ico" "${ICON}"
  WriteUninstaller "$INSTDIR.new\uninstall.exe"
  SetOutPath "$TEMP" ; a folder that is a process's own can't be renamed
  ${If} ${Errors}
    !insertmacro RemoveProgram "$INSTDIR.new"
    RMDir "$INSTDIR.new"
    !insertmacro Fail "The program could not be unpacked. Nothing was changed."
  ${EndIf}

  ${If} ${FileExists} "$INSTDIR\hyperscope-cli.exe"
    ClearErrors
    Rename "$INSTDIR" "$INSTDIR.old"
    ${If} ${Errors}
      !insertmacro RemoveProgram "$INSTDIR.new"
      RMDir "$INSTDIR.new"
      !insertmacro Fail "Hyperscope is running. Close its windows and try again. Nothing was changed."
    ${EndIf}
  ${EndIf}
  ClearErrors
  Rename "$INSTDIR.new" "$INSTDIR"
  ${If} ${Errors}
    Rename "$INSTDIR.old" "$INSTDIR"
    !insertmacro RemoveProgram "$INSTDIR.new"
    RMDir "$INSTDIR.new"
    !insertmacro Fail "The program could not be put in its place. Nothing was changed."
  ${EndIf}
  !insertmacro RemoveProgram "$INSTDIR.old"
  Call KeepTheUsersFiles
  RMDir "$INSTDIR.old"

  CreateShortCut "$SMPROGRAMS\Hyperscope.lnk" "$INSTDIR\hyperscope.exe" "" "$INSTDIR\hyperscope.ico"
  WriteRegStr HKCU "Software\Classes\.hscope" "" "${PROGRAM_ID}"
  WriteRegStr HKCU "Software\Classes\.hscope\OpenWithProgids" "${PROGRAM_ID}" ""
  WriteRegStr HKCU "Software\Classes\${PROGRAM_ID}" "" "Hyperscope session"
  WriteRegStr HKCU "Software\Classes\${PROGRAM_ID}\DefaultIcon" "" "$INSTDIR\hyperscope.ico"
  WriteRegStr HKCU "Software\Classes\${PROGRAM_ID}\shell\open\command" "" '"$INSTDIR\hyperscope.exe" gui "%1"'
  WriteRegStr HKCU "${UNINSTALL_KEY}" "DisplayName" "Hyperscope"
  WriteRegStr HKCU "${UNINSTALL_KEY}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${UNINSTALL_KEY}" "DisplayIcon" "$INSTDIR\hyperscope.ico"
  WriteRegStr HKCU "${UNINSTALL_KEY}" "Publisher" "Hyperscope"
  WriteRegStr HKCU "${UNINSTALL_KEY}" "InstallLocation" "$INSTDIR"
  WriteRegStr HKCU "${UNINSTALL_KEY}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegStr HKCU "${UNINSTALL_KEY}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
  WriteRegDWORD HKCU "${UNINSTALL_KEY}" "EstimatedSize" ${KILOBYTES}
  WriteRegDWORD HKCU "${UNINSTALL_KEY}" "NoModify" 1
  WriteRegDWORD HKCU "${UNINSTALL_KEY}" "NoRepair" 1
  !insertmacro TellTheShell
SectionEnd

; Moves what a user put beside the old program to the new one. Where both have a name, the old one stays in .old.
Function KeepTheUsersFiles
  FindFirst $0 $1 "$INSTDIR.old\*.*"
  ${DoWhile} $1 != ""
    ${If} $1 != "."
    ${AndIf} $1 != ".."
      Rename "$INSTDIR.old\$1" "$INSTDIR\$1"
    ${EndIf}
    FindNext $0 $1
  ${Loop}
  FindClose $0
FunctionEnd

Section "Uninstall"
  SetShellVarContext current
  ${IfNot} ${FileExists} "$INSTDIR\hyperscope-cli.exe"
    !insertmacro Fail "$INSTDIR is no folder of Hyperscope. Nothing was changed."
  ${EndIf}
  ; A program that runs can't be removed: then nothing is.
  SetOutPath "$TEMP"
  ClearErrors
  Rename "$INSTDIR\_internal" "$INSTDIR\_internal.going"
  ${If} ${Errors}
    !insertmacro Fail "Hyperscope is running. Close its windows and try again. Nothing was changed."
  ${EndIf}
  RMDir /r "$INSTDIR\_internal.going"
  !insertmacro RemoveProgram "$INSTDIR"
  RMDir "$INSTDIR" ; only if it is empty: sessions and other files of the user stay

  Delete "$SMPROGRAMS\Hyperscope.lnk"
  ReadRegStr $0 HKCU "Software\Classes\.hscope" ""
  ${If} $0 == "${PROGRAM_ID}"
    DeleteRegValue HKCU "Software\Classes\.hscope" ""
  ${EndIf}
  DeleteRegValue HKCU "Software\Classes\.hscope\OpenWithProgids" "${PROGRAM_ID}"
  DeleteRegKey /ifempty HKCU "Software\Classes\.hscope\OpenWithProgids"
  DeleteRegKey /ifempty HKCU "Software\Classes\.hscope"
  DeleteRegKey HKCU "Software\Classes\${PROGRAM_ID}"
  DeleteRegKey HKCU "${UNINSTALL_KEY}"
  !insertmacro TellTheShell
SectionEnd
