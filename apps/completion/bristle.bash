# Completion of bristle for bash: the command itself knows which words may stand next. Files otherwise.
_bristle() {
    local IFS=$'\n'
    COMPREPLY=($(compgen -W "$("$1" complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" -- "$2"))
}
complete -o default -F _bristle bristle
