/** Those where a crash leaves the most behind: the writes of an activation. */
export const CENTRAL: readonly string[] = ['write journal', 'write commit', 'write commit+head', 'write head']

/** What happens in few runs: crashes are aimed at it in all of them. */
export const RARE: readonly string[] = [
  'step',
  'write file',
  'load journal',
  'load answer',
  'load event',
  'remove commit',
  'write dead index+dead letter',
  'write directory+record',
]

/** What happens in some runs, mostly when most is over: of how many one is crashed at, before its effect and after. */
export const LATE: { readonly [label: string]: number } = {
  'remove inbox': 6,
  'remove ready': 2,
  'remove what is over': 20,
  'load thread': 6,
}

/** What takes little time beside the others, so that a crash meets it by chance too seldom. */
export const BRIEF: { readonly [kind: string]: readonly string[] } = {
  activate: [
    'load answer+journal',
    'load commit',
    'load dead letter',
    'scan commit',
    'scan record',
    'scan snapshot',
    'write answer',
    'write event',
    'write event+head',
    'write head+journal',
  ],
  inbox: ['load inbox', 'scan inbox', 'write inbox+tail', 'write ready'],
  expiry: ['write due', 'remove due'],
  edits: ['load file'],
  turns: ['scan thread', 'write thread'],
}

const FREQUENT = [
  'model call',
  'timer',
  'load head',
  'load event+dead letter',
  'load record',
  'load head+tail',
  'load !',
  'load !+directory',
  'scan journal',
  'scan ready',
  'scan due',
  'write directory',
  'write record',
]

/** Everything that a worker of the simulation waits for: at each it is crashed, many times. */
export const LABELS: readonly string[] = [
  ...FREQUENT,
  ...CENTRAL,
  ...RARE,
  ...Object.keys(LATE),
  ...Object.values(BRIEF).flat(),
]
