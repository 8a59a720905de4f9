package lang

// What a system lacks for a sandbox. The argument %s is the reason.
var (
	SandboxNoFiles      = Text{"files are not confined (the kernel has no Landlock, or this container forbids it)", "파일 접근을 제한하지 못합니다(커널에 Landlock이 없거나 이 컨테이너가 막습니다)"}
	SandboxTruncate     = Text{"files elsewhere can be emptied (Landlock %d does not cover truncate; Linux 6.2 does)", "다른 곳의 파일이 비워질 수 있습니다(Landlock %d은(는) truncate를 막지 못하며 Linux 6.2부터 막습니다)"}
	SandboxNoSeccomp    = Text{"the network is not confined (the kernel has no seccomp filters for this processor)", "네트워크를 제한하지 못합니다(이 프로세서용 seccomp 필터가 커널에 없습니다)"}
	SandboxTCPOnly      = Text{"only TCP is refused, UDP and Unix sockets are not (the kernel has no seccomp filters for this processor)", "TCP만 막히고 UDP와 Unix 소켓은 막히지 않습니다(이 프로세서용 seccomp 필터가 커널에 없습니다)"}
	SandboxNoLoopback   = Text{"there is no network instead of a loopback (%s)", "루프백 대신 네트워크가 전혀 없습니다(%s)"}
	SandboxOpenLoopback = Text{"the network is not confined (%s)", "네트워크를 제한하지 못합니다(%s)"}
	SandboxNoCount      = Text{"the number of processes is not limited (%s)", "프로세스 수를 제한하지 못합니다(%s)"}
	SandboxThreads      = Text{"the number of processes is limited by their threads only (a new /proc is not permitted)", "프로세스 수를 스레드 수로만 제한합니다(새 /proc을 만들 수 없습니다)"}
	SandboxStray        = Text{"a process that starts a new session outlives the program (%s)", "새 세션을 시작한 프로세스는 프로그램이 끝나도 남습니다(%s)"}
	SandboxSystem       = Text{"files and network are not confined (gongu has no sandbox for %s)", "파일과 네트워크를 제한하지 못합니다(%s용 샌드박스가 없습니다)"}
	SandboxNoMemory     = Text{"memory is not limited", "메모리를 제한하지 못합니다"}
	SandboxNoCPU        = Text{"processor time is not limited", "프로세서 시간을 제한하지 못합니다"}

	SandboxNoLauncher   = Text{"no launcher is known", "런처를 알 수 없습니다"}
	SandboxNoNamespaces = Text{"user namespaces are not permitted: %s", "사용자 네임스페이스가 허용되지 않습니다: %s"}
	SandboxNoRights     = Text{"user namespaces give no rights here: %s", "사용자 네임스페이스에 권한이 없습니다: %s"}
)

// What gongu doctor says of sandboxes.
var (
	CLIDoctorSandbox     = Text{"files, network, memory, processor time and processes can be confined", "파일, 네트워크, 메모리, 프로세서 시간, 프로세스를 제한할 수 있습니다"}
	CLIDoctorSandboxHint = Text{"Programs run with the parts that are available, and a tool with sandbox.required does not start. docs/sandbox.md says what each part needs.", "프로그램은 가능한 만큼만 제한되어 실행되고, sandbox.required가 있는 도구는 시작하지 않습니다. 각 부분에 필요한 것은 docs/sandbox.md에 있습니다."}
	CLIDoctorNote        = Text{"note", "참고"}
	CLIDoctorDocker      = Text{"%s can be written: every program with access to the network of this user is root", "%s에 쓸 수 있습니다. 이 사용자의 네트워크를 쓰는 모든 프로그램은 root와 같습니다"}
	CLIDoctorDockerHint  = Text{"A sandbox with network: none or loopback prevents a program from using it; rootless Docker removes the risk.", "network: none이나 loopback인 샌드박스는 이 소켓을 쓰지 못하게 합니다. rootless Docker를 쓰면 위험이 없어집니다."}
)
