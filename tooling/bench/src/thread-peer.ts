/** Another library that keeps conversations, as a program uses it that follows its documentation. */
export interface ThreadPeer extends AsyncDisposable {
  /** Makes a thread of the messages with the numbers from 0. */
  fill(thread: string, messages: number): Promise<void>
  /** Adds the message with the number, which is how many the thread has, to a thread that another process may have written. */
  append(thread: string, number: number): Promise<void>
  /** The texts of its newest messages, the newest last. */
  last(thread: string, count: number): Promise<string[]>
}

/** Makes tables of its own in a database or a file, which go with the peer. */
export type OpenThreadPeer = (place: string) => Promise<ThreadPeer>

/** About 200 bytes, no two alike. */
export function textOf(number: number): string {
  return `Message ${number}: ${'and so it goes on. '.repeat(10)}`
}
