import { type ChatMemory, type Message } from '../../src/index.ts'
import { any, HALF, LONG, type Hostile } from './hostile.ts'

const threadCalls: readonly (readonly [string, (chat: ChatMemory<Message>, id: never) => unknown])[] = [
  ['append', (chat, id) => chat.append(id, [{ role: 'user', content: 'x' }])],
  ['messages', (chat, id) => chat.messages(id)],
  ['removeMessages', (chat, id) => chat.removeMessages(id, ['m1'])],
  ['clear', (chat, id) => chat.clear(id)],
]
export const threadIds: Hostile[] = (
  [
    ['an empty text', '', 'threadId is empty. Give every conversation an id.'],
    ['undefined', undefined, 'threadId must be a string; it is undefined.'],
    ['a tuple', ['t1'], 'threadId must be a string; it is an array.'],
    ['half of an emoji', HALF, 'threadId holds half of a surrogate pair'],
    ['5,000 characters', LONG, 'threadId, as stored, has 5008 bytes in UTF-8; at most 512 are allowed.'],
  ] as const
).flatMap(([what, id, message]) =>
  threadCalls.map(([name, call]): Hostile => [
    `${name}: a thread id that is ${what}`,
    ({ chat }) => call(chat, any(id)),
    'invalid_key',
    message,
  ]),
)

export const ownersOfThreads: Hostile[] = (
  [
    ['an empty text', '', 'invalid_key', 'owner is empty.'],
    ['a number', 5, 'invalid_key', 'owner must be a string; it is a number.'],
    ['a tuple', ['ada'], 'invalid_key', 'owner must be a string; it is an array.'],
    ['null', null, 'invalid_key', 'owner must be a string; it is null.'],
    ['half of an emoji', HALF, 'invalid_key', 'owner holds half of a surrogate pair'],
    ['5,000 characters', LONG, 'invalid_key', 'owner, as stored, has'],
    ['somebody else', 'bob', 'wrong_owner', 'This thread belongs to another owner'],
  ] as const
).flatMap(([what, owner, code, message]): Hostile[] => [
  [
    `append for ${what}`,
    ({ chat }) => chat.append('t1', [{ role: 'user', content: 'x' }], { owner: any(owner) }),
    code,
    message,
  ],
  [`messages for ${what}`, ({ chat }) => chat.messages('t1', { owner: any(owner) }), code, message],
  [`removeMessages for ${what}`, ({ chat }) => chat.removeMessages('t1', ['m1'], { owner: any(owner) }), code, message],
  [`clear for ${what}`, ({ chat }) => chat.clear('t1', { owner: any(owner) }), code, message],
])
