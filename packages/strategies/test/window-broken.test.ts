import { callPart, calls, results, say, thinks, user } from './messages.ts'
import { testWindowCases } from './window-cases.ts'

testWindowCases('reasoning', [
  {
    name: 'reasoning in the message of its call',
    messages: [
      user('a'),
      { role: 'assistant', content: [{ type: 'reasoning', text: 'hm' }, callPart('c1')] },
      results('c1'),
      user('b'),
    ],
    kept: { 1: [3], 2: [3], 3: [1, 2, 3] },
  },
  {
    name: 'reasoning in a message before its call',
    messages: [user('a'), thinks('hm'), calls('c1'), results('c1'), user('b')],
    kept: { 1: [4], 3: [4], 4: [1, 2, 3, 4] },
  },
  {
    name: 'reasoning in two messages before a text (A10)',
    messages: [user('a'), thinks('hm'), thinks('so'), say('b')],
    kept: { 0: [1, 2, 3], 1: [1, 2, 3], 3: [1, 2, 3], 4: [0, 1, 2, 3] },
  },
  {
    name: 'reasoning that led to nothing, at the end (A10)',
    messages: [user('a'), thinks('hm')],
    kept: { 0: [0], 1: [0], 2: [0] },
  },
  {
    name: 'reasoning that led to nothing, in the middle',
    messages: [user('a'), thinks('hm'), user('b'), say('c')],
    kept: { 2: [2, 3], 3: [0, 2, 3], 4: [0, 2, 3] },
  },
  {
    name: 'reasoning with nothing but an empty text beside it led to nothing',
    messages: [
      user('a'),
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'hm' },
          { type: 'text', text: '' },
        ],
      },
      user('b'),
    ],
    kept: { 1: [2], 3: [0, 2] },
  },
  {
    name: 'an empty text that carries options of the provider is sent, so the message is complete',
    messages: [
      user('a'),
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'hm' },
          { type: 'text', text: '', providerOptions: { google: { thoughtSignature: 'c2ln' } } },
        ],
      },
      user('b'),
    ],
    kept: { 1: [2], 2: [1, 2], 3: [0, 1, 2] },
  },
  {
    name: 'reasoning in files is reasoning',
    messages: [
      user('a'),
      { role: 'assistant', content: [{ type: 'reasoning-file', data: 'AAEC', mediaType: 'image/png' }] },
      user('b'),
    ],
    kept: { 1: [2], 2: [0, 2], 3: [0, 2] },
  },
  {
    name: 'reasoning after the text, as OpenAI-compatible providers give it, is complete',
    messages: [
      user('a'),
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'b' },
          { type: 'reasoning', text: 'hm' },
        ],
      },
      user('c'),
    ],
    kept: { 1: [2], 2: [1, 2], 3: [0, 1, 2] },
  },
])

testWindowCases('what is broken already', [
  {
    name: 'a call that was never answered, in the middle',
    messages: [user('a'), calls('c1'), user('b'), say('c')],
    kept: { 1: [3], 2: [2, 3], 3: [0, 2, 3], 4: [0, 2, 3] },
  },
  {
    name: 'of parallel calls one was never answered: the group goes',
    messages: [user('a'), calls('c1', 'c2'), results('c1'), user('b'), say('c')],
    kept: { 1: [4], 2: [3, 4], 3: [0, 3, 4], 5: [0, 3, 4] },
  },
  {
    name: 'what stands between an unanswered call and the results beside it stays',
    messages: [calls('c1', 'c2'), user('a'), results('c1'), user('b')],
    kept: { 1: [3], 2: [1, 3], 4: [1, 3] },
  },
  {
    name: 'a result without its call, at the beginning',
    messages: [results('c1'), user('a'), say('b')],
    kept: { 1: [2], 2: [1, 2], 3: [1, 2] },
  },
  {
    name: 'a result without its call, at the end',
    messages: [user('a'), results('c1')],
    kept: { 0: [0], 1: [0], 2: [0] },
  },
  {
    name: 'a tool message with a foreign result takes its group with it',
    messages: [user('a'), calls('c1'), results('c1', 'c9'), user('b')],
    kept: { 1: [3], 2: [0, 3], 4: [0, 3] },
  },
  {
    name: 'a result before its call is none of it',
    messages: [results('c1'), calls('c1'), user('a')],
    kept: { 1: [2], 3: [2] },
  },
  {
    name: 'the same id again, after a user message, is another call',
    messages: [user('a'), calls('c1'), user('b'), calls('c1'), results('c1'), say('c')],
    kept: { 1: [5], 3: [3, 4, 5], 4: [2, 3, 4, 5], 5: [0, 2, 3, 4, 5], 6: [0, 2, 3, 4, 5] },
  },
  {
    name: 'an unanswered call that no user message has overtaken holds what follows',
    messages: [user('a'), calls('c1'), say('b')],
    kept: { 0: [1, 2], 1: [1, 2], 3: [0, 1, 2] },
  },
  {
    name: 'reasoning goes with a call that was given up',
    messages: [user('a'), thinks('hm'), calls('c1'), user('b')],
    kept: { 1: [3], 2: [0, 3], 4: [0, 3] },
  },
  {
    name: 'only broken messages',
    messages: [results('c1'), thinks('hm')],
    kept: { 0: [], 1: [], 2: [] },
  },
  {
    name: 'broken messages are not counted (A9)',
    messages: [user('a'), say('b'), results('c9'), user('c')],
    kept: { 2: [1, 3], 3: [0, 1, 3] },
  },
])
