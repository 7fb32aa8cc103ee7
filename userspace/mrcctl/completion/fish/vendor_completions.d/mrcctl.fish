# SPDX-License-Identifier: GPL-2.0-only
#
# fish completion for mrcctl(8). All candidates come from the completion of bash, which is run in
# bash, so that they are listed only once.

set -g __mrcctl_shared (path resolve (status dirname)/../..)

function __mrcctl_candidates
    set -l words (commandline -opc)

    bash -c '
        . "$1" || exit
        shift
        COMP_WORDS=(mrcctl "$@") COMP_CWORD=$#
        _mrcctl
        printf "%s\n" "${COMPREPLY[@]}"' - $__mrcctl_shared/bash-completion/completions/mrcctl \
        $words[2..-1] (commandline -ct) 2>/dev/null
end

complete -c mrcctl -f -a '(__mrcctl_candidates)'
