; The Windows installer, for NSIS 3: packaging/installer.py calls makensis with the names below.
;   VERSION          0.1.0
;   VERSION_NUMBERS  0.1.0.0
;   SOURCE           the program folder, dist\windows\hyperscope or dist\hyperscope
;   ICON             hyperscope.ico
;   OUT              the installer to make
;   PICTURE          what the last page shows, a bitmap of 164 x 314
;   KILOBYTES        the size of the program folder
;   LONGEST          how many characters the longest path in it has
;
; For one user, without admin rights: everything is in the user's own folders and registry. /S installs in silence.
; A version that is there is replaced whole or not at all: the new one is unpacked beside it, then both change places.
; It goes where the one before is; if another folder is chosen, the program moves there.
; Files of the user in the program's folder are kept, when it is replaced and when it is removed.

Unicode true
!include "MUI2.nsh"
!include "LogicLib.nsh"
!include "WordFunc.nsh"

!define UNINSTALL_KEY "Software\Microsoft\Windows\CurrentVersion\Uninstall\Hyperscope"
!define PROGRAM_ID "Hyperscope.Session"
!define MAX_PATH 259
!define IS_IN_USE 32 ; as Windows numbers its errors

Var Before ; the folder of the program that was installed before, if it is another one
Var Used ; a program that runs
Var New ; the folder that is being unpacked
Var Old ; where the folder of the version before is, while they change places

Name "Hyperscope ${VERSION}"
OutFile "${OUT}"
RequestExecutionLevel user
InstallDir "$LOCALAPPDATA\Programs\Hyperscope"
InstallDirRegKey HKCU "${UNINSTALL_KEY}" "InstallLocation" ; where it is already
AllowSkipFiles off
ManifestDPIAware true
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
!define MUI_WELCOMEFINISHPAGE_BITMAP "${PICTURE}"
!define MUI_DIRECTORYPAGE_TEXT_TOP "Hyperscope is installed for you alone and needs no admin rights. It opens files whose names end in .hscope. A Hyperscope that is installed already is replaced; sessions and settings stay."
!define MUI_DIRECTORYPAGE_VERIFYONLEAVE
!define MUI_PAGE_CUSTOMFUNCTION_LEAVE CheckFolder
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!define MUI_FINISHPAGE_RUN "$INSTDIR\hyperscope.exe"
!define MUI_FINISHPAGE_RUN_TEXT "Start Hyperscope"
!define MUI_FINISHPAGE_TEXT "Hyperscope ${VERSION} is in the Start menu.$\r$\n$\r$\nCommands are run by hyperscope-cli.exe in its folder, for example hyperscope-cli --help."
!insertmacro MUI_PAGE_FINISH
!define MUI_UNCONFIRMPAGE_TEXT_TOP "Hyperscope ${VERSION} is removed from the following folder. Your sessions and settings stay where they are."
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

; What runs can't be opened for writing.
!macro LookIfUsed FILE
  ${If} ${FileExists} "${FILE}"
    System::Call 'kernel32::CreateFile(t "${FILE}", i 0x40000000, i 7, p 0, i 3, i 0, p 0) p .r0 ?e'
    Pop $1
    ${If} $1 == ${IS_IN_USE}
      StrCpy $Used "${FILE}"
    ${ElseIf} $0 P<> -1
      System::Call 'kernel32::CloseHandle(p r0)'
    ${EndIf}
  ${EndIf}
!macroend

; Goes on once no program of a folder runs: a window, a recording that goes on without one, a command.
!macro WaitUntilUnused FOLDER
  ${Do}
    StrCpy $Used ""
    !insertmacro LookIfUsed "${FOLDER}\hyperscope.exe"
    !insertmacro LookIfUsed "${FOLDER}\hyperscope-cli.exe"
    ${If} $Used == ""
      ${ExitDo}
    ${EndIf}
    DetailPrint "$Used is running."
    ${If} ${Cmd} `MessageBox MB_RETRYCANCEL|MB_ICONEXCLAMATION "Hyperscope is running: its window is open, or it is recording.$\r$\n$\r$\nEnd the recording, close its windows and try again." /SD IDCANCEL IDCANCEL`
      SetErrorLevel 3
      Abort "Hyperscope is running. Nothing was changed."
    ${EndIf}
  ${Loop}
!macroend

Function .onInit
  ReadRegStr $Before HKCU "${UNINSTALL_KEY}" "InstallLocation"
  ReadRegStr $0 HKCU "${UNINSTALL_KEY}" "DisplayVersion"
  ${If} $Before != ""
  ${AndIfNot} ${FileExists} "$Before\hyperscope-cli.exe"
    StrCpy $Before ""
  ${EndIf}
  ${If} $Before != ""
    ${VersionCompare} "$0" "${VERSION}" $1
    ${If} $1 == 1
    ${AndIf} ${Cmd} `MessageBox MB_OKCANCEL|MB_ICONQUESTION "Hyperscope $0 is installed, which is newer. Replace it by ${VERSION}? It may not be able to open what the newer one recorded." /SD IDOK IDCANCEL`
      SetErrorLevel 2
      Abort
    ${EndIf}
  ${EndIf}
FunctionEnd

; Says in $0 why the program can't be in $INSTDIR; nothing if it can.
Function WhyNotThere
  StrCpy $0 ""
  StrLen $1 "$INSTDIR.new\"
  IntOp $1 $1 + ${LONGEST}
  IntOp $1 $1 - ${MAX_PATH}
  ${If} $1 > 0
    StrCpy $0 "The path of this folder is too long for Windows, by $1 characters: $INSTDIR."
    Return
  ${EndIf}
  ${If} ${FileExists} "$INSTDIR\hyperscope-cli.exe"
    Return
  ${EndIf}
  ; A folder that holds something, but not us, is somebody else's.
  ClearErrors
  FindFirst $1 $2 "$INSTDIR\*.*"
  ${DoUntil} ${Errors}
    ${If} $2 != "."
    ${AndIf} $2 != ".."
      StrCpy $0 "$INSTDIR holds something that is not Hyperscope."
    ${EndIf}
    FindNext $1 $2
  ${Loop}
  FindClose $1
FunctionEnd

Function CheckFolder
  GetInstDirError $0
  ${If} $0 == 1
    StrCpy $0 "A program can't be installed in $INSTDIR."
  ${ElseIf} $0 == 2
    StrCpy $0 "There is not enough space for $INSTDIR."
  ${Else}
    Call WhyNotThere
  ${EndIf}
  ${If} $0 != ""
    MessageBox MB_OK|MB_ICONEXCLAMATION "$0$\r$\n$\r$\nChoose another folder." /SD IDOK
    Abort
  ${EndIf}
FunctionEnd

; What was unpacked goes away when the rest could not be.
Function .onInstFailed
  ${If} $New != ""
    SetOutPath "$TEMP" ; a folder that is a process's own can't be removed
    !insertmacro RemoveProgram "$New"
    RMDir "$New"
  ${EndIf}
FunctionEnd

Section "Hyperscope"
  SetShellVarContext current
  ; One that was cut off while the folders changed places.
  ${IfNot} ${FileExists} "$INSTDIR\*.*"
  ${AndIf} ${FileExists} "$INSTDIR.old\hyperscope-cli.exe"
    Rename "$INSTDIR.old" "$INSTDIR"
  ${EndIf}
  Call WhyNotThere
  ${If} $0 != ""
    !insertmacro Fail "$0 Nothing was changed."
  ${EndIf}
  !insertmacro WaitUntilUnused "$INSTDIR"
  GetFullPathName $0 "$INSTDIR"
  ${If} $Before == $0
    StrCpy $Before ""
  ${ElseIf} $Before != ""
    !insertmacro WaitUntilUnused "$Before"
  ${EndIf}
  ; What an installation that was cut off left behind.
  !insertmacro RemoveProgram "$INSTDIR.new"
  RMDir "$INSTDIR.new"
  !insertmacro RemoveProgram "$INSTDIR.old"
  RMDir "$INSTDIR.old"

  ClearErrors
  CreateDirectory "$INSTDIR.new"
  ${If} ${Errors}
    !insertmacro Fail "You may not make a folder there: $INSTDIR. Nothing was changed."
  ${EndIf}
  StrCpy $New "$INSTDIR.new"
  SetOutPath "$New"
  ClearErrors
  File /r "${SOURCE}\*"
  File "/oname=hyperscope.ico" "${ICON}"
  WriteUninstaller "$New\uninstall.exe"
  SetOutPath "$TEMP" ; a folder that is a process's own can't be renamed
  ${If} ${Errors}
    !insertmacro Fail "The program could not be unpacked. Nothing was changed."
  ${EndIf}

  StrCpy $Old ""
  ${If} ${FileExists} "$INSTDIR\hyperscope-cli.exe"
    ; A file of the user may keep an .old of another time.
    StrCpy $0 1
    StrCpy $Old "$INSTDIR.old"
    ${DoWhile} ${FileExists} "$Old\*.*"
      IntOp $0 $0 + 1
      StrCpy $Old "$INSTDIR.old$0"
    ${Loop}
    ClearErrors
    Rename "$INSTDIR" "$Old"
    ${If} ${Errors}
      !insertmacro Fail "Something uses $INSTDIR: a window of Hyperscope, a command prompt, or a session that is open. Nothing was changed."
    ${EndIf}
  ${EndIf}
  ${If} $Before != ""
  ${AndIfNot} ${FileExists} "$Before\hyperscope-cli.exe"
    StrCpy $Before "" ; another name of the same folder: a drive that is mapped, a short name
  ${EndIf}
  RMDir "$INSTDIR" ; only if it is empty
  ClearErrors
  Rename "$New" "$INSTDIR"
  ${If} ${Errors}
    ${If} $Old != ""
      Rename "$Old" "$INSTDIR"
    ${EndIf}
    !insertmacro Fail "The program could not be put in its place. Nothing was changed."
  ${EndIf}
  StrCpy $New ""
  ${If} $Old != ""
    !insertmacro RemoveProgram "$Old"
    Call KeepTheUsersFiles
    RMDir "$Old"
  ${EndIf}
  ${If} $Before != ""
    !insertmacro RemoveProgram "$Before"
    RMDir "$Before"
  ${EndIf}

  SetOutPath "$PROFILE" ; where a program begins that the link starts
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

; Moves what a user put beside the old program to the new one. Where both have a name, the old one stays in $Old.
Function KeepTheUsersFiles
  FindFirst $0 $1 "$Old\*.*"
  ${DoWhile} $1 != ""
    ${If} $1 != "."
    ${AndIf} $1 != ".."
      Rename "$Old\$1" "$INSTDIR\$1"
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
  !insertmacro WaitUntilUnused "$INSTDIR"
  ; What is in use can't be removed: then nothing is.
  SetOutPath "$TEMP"
  ClearErrors
  Rename "$INSTDIR\_internal" "$INSTDIR\_internal.going"
  ${If} ${Errors}
    !insertmacro Fail "Something uses $INSTDIR: a command prompt, or a session that is open. Nothing was changed."
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
