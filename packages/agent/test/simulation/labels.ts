/** What happens in few runs: crashes are aimed at it in most of them. */
export const RARE: readonly string[] = []

/** Everything that a worker of the simulation waits for: each is crashed at, many times. */
export const LABELS: readonly string[] = ['model call', 'timer', 'step', ...RARE]
