/** Everything that a worker of the simulation waits for: each is crashed at, many times. */
export const LABELS: readonly string[] = ['model call', 'timer', 'step']
