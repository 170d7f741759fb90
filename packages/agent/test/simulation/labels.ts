/** Those where a crash leaves the most behind: the writes of an activation. */
export const CENTRAL: readonly string[] = ['write journal', 'write commit', 'write commit+head', 'write head']

/** What happens in few runs: crashes are aimed at it in all of them. */
export const RARE: readonly string[] = [
  'step',
  'load journal',
  'load answer',
  'load event',
  'remove commit',
  'write dead index+dead letter',
  'write directory+record',
]

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
    'remove what is over',
  ],
  inbox: ['load inbox', 'scan inbox', 'write inbox+tail', 'write ready', 'remove inbox', 'remove ready'],
  expiry: ['write due', 'remove due'],
}

const FREQUENT = [
  'model call',
  'timer',
  'load head',
  'load event+dead letter',
  'load record',
  'load tail',
  'scan journal',
  'scan ready',
  'scan due',
  'write directory',
  'write record',
]

/** Everything that a worker of the simulation waits for: at each it is crashed, many times. */
export const LABELS: readonly string[] = [...FREQUENT, ...CENTRAL, ...RARE, ...Object.values(BRIEF).flat()]
