/** What the process says when it ends. */
export const EXIT = {
  done: 0,
  failed: 1,
  /** The command line cannot be understood; nothing was done. */
  usage: 2,
  /** The row, thread or entity that was asked for is not there. */
  notFound: 3,
  /** The store has no tables of ours, or old ones, or its file does not exist. */
  notProvisioned: 4,
  /** Interrupted, and the same command can go on from there. */
  resumable: 5,
  /** Interrupted by Ctrl-C: 128 + SIGINT, as shells have it. */
  interrupted: 130,
} as const
