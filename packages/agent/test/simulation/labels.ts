/** Everything that a worker of the simulation waits for: at each it is crashed, many times. */
export const LABELS: readonly string[] = [
  'model call',
  'timer',
  'step',
  ...['head', 'event+dead letter', 'commit', 'record', 'inbox', 'tail', 'dead letter'].map((kind) => `load ${kind}`),
  ...['journal', 'commit', 'snapshot', 'record', 'inbox', 'ready', 'due'].map((kind) => `scan ${kind}`),
  ...['head', 'event', 'event+head', 'commit', 'commit+head', 'journal', 'head+journal'].map((kind) => `write ${kind}`),
  ...['answer', 'directory', 'record', 'directory+record'].map((kind) => `write ${kind}`),
  ...['inbox+tail', 'ready', 'due', 'dead index+dead letter'].map((kind) => `write ${kind}`),
  ...['what is over', 'inbox', 'ready', 'due'].map((kind) => `remove ${kind}`),
  // What happens in few runs.
  ...['journal', 'answer', 'answer+journal', 'event'].map((kind) => `load ${kind}`),
  'remove commit',
]

/** Those that are aimed at wherever they are met. */
export const RARE: readonly string[] = LABELS.slice(-5)

/** Those where a crash leaves the most behind: the writes of an activation. */
export const CENTRAL: readonly string[] = ['write journal', 'write commit', 'write commit+head', 'write head']
