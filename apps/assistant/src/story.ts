/** One turn of the demo. Each runs in a process of its own. */
export interface Scene {
  user: string
  thread: string
  says: string
  /** Before which question to the model the process is killed. It is said again then, in a new process. */
  diesInStep?: number
}

/** What the demo tells: a preference outlives its conversation, a conversation its process, a run too, and users stay apart. */
export const story: readonly Scene[] = [
  { user: 'ada', thread: 'monday', says: 'Please remember that I prefer answers in German.' },
  { user: 'ada', thread: 'tuesday', says: 'What is the capital of France?' },
  { user: 'ada', thread: 'tuesday', says: 'My favourite food is pizza.' },
  { user: 'ada', thread: 'tuesday', says: 'My favourite colour is green.', diesInStep: 2 },
  { user: 'ada', thread: 'wednesday', says: 'What is my favourite colour?' },
  { user: 'ada', thread: 'wednesday', says: 'What is my favourite food?' },
  { user: 'ada', thread: 'monday', says: 'What did I ask you first?' },
  { user: 'bob', thread: 'monday', says: 'What is the capital of France?' },
  { user: 'bob', thread: 'monday', says: 'What do you know about me?' },
  { user: 'bob', thread: 'monday', says: 'What is my favourite food?' },
]
