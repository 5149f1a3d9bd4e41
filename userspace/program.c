// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "alloc.h"
#include "program.h"

/* In the child; does not return. */
static void become(const char *const argv[], pid_t parent)
{
	setpgid(0, 0);
	signal(SIGPIPE, SIG_DFL);
	/* A parent that is gone by now sends no signal. */
	if (prctl(PR_SET_PDEATHSIG, SIGTERM) || getppid() != parent)
		_exit(PROGRAM_NOT_FOUND);
	setenv("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", 1);
	execvp(argv[0], (char *const *)argv);
	dprintf(STDERR_FILENO, "cannot run %s: %s", argv[0], strerror(errno));
	_exit(PROGRAM_NOT_FOUND);
}

int program_start(struct program *program, const char *const argv[])
{
	pid_t parent = getpid();
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return -1;
	fflush(stdout);
	program->pid = fork();
	if (program->pid < 0) {
		close(fds[0]);
		close(fds[1]);
		return -1;
	}
	if (!program->pid) {
		dup2(fds[1], STDOUT_FILENO);
		dup2(fds[1], STDERR_FILENO);
		become(argv, parent);
	}
	close(fds[1]);
	program->output = fds[0];
	return 0;
}

int program_end(struct program *program)
{
	int status;

	close(program->output);
	while (waitpid(program->pid, &status, 0) < 0)
		if (errno != EINTR)
			return PROGRAM_NOT_FOUND;
	return WIFEXITED(status) ? WEXITSTATUS(status) : PROGRAM_BY_SIGNAL + WTERMSIG(status);
}

char *program_run(const char *const argv[], int *status)
{
	char *said = xstrdup(""), part[512];
	struct program program;
	ssize_t got;

	*status = PROGRAM_NOT_FOUND;
	if (program_start(&program, argv)) {
		xappend(&said, "", "cannot run %s: %s", argv[0], strerror(errno));
		return said;
	}
	while ((got = read(program.output, part, sizeof(part))) > 0 || (got < 0 && errno == EINTR))
		if (got > 0)
			xappend(&said, "", "%.*s", (int)got, part);
	*status = program_end(&program);
	return said;
}
