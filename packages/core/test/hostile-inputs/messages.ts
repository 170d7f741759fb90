import { any, cycle, HALF, type Hostile, type Fixture } from './hostile.ts'

export const messages: Hostile[] = [
  ...(
    [
      ['no list', { role: 'user', content: 'x' }, 'invalid_value', 'messages must be a list; it is an object.'],
      ['null', null, 'invalid_value', 'messages must be a list; it is null.'],
      ['a text', 'hello', 'invalid_value', 'messages must be a list; it is a string.'],
      ['a list of texts', ['hello'], 'invalid_value', 'messages[0] must be an object with a role; it is a string.'],
      ['a list with null', [null], 'invalid_value', 'messages[0] must be an object with a role; it is null.'],
      ['a list with undefined', [undefined], 'invalid_value', 'messages[0] is undefined'],
      ['a list of lists', [[]], 'invalid_value', 'messages[0] must be an object with a role; it is an array.'],
      [
        'a list of bytes',
        [Uint8Array.of(1)],
        'invalid_value',
        'messages[0] must be an object with a role; it is a Uint8Array.',
      ],
      [
        'a list of URLs',
        [new URL('https://example.com')],
        'invalid_value',
        'messages[0] must be an object with a role',
      ],
      [
        'a message without a role',
        [{ content: 'x' }],
        'invalid_value',
        "messages[0].role must be a text such as 'user'; it is undefined.",
      ],
      [
        'an empty role',
        [{ role: '' }],
        'invalid_value',
        "messages[0].role must be a text such as 'user'; it is empty.",
      ],
      [
        'a role that is a number',
        [{ role: 1 }],
        'invalid_value',
        "messages[0].role must be a text such as 'user'; it is a number.",
      ],
      [
        'an empty id',
        [{ role: 'user', id: '' }],
        'invalid_value',
        'messages[0].id must be a text that is not empty, or left out; it is empty.',
      ],
      [
        'an id that is a number',
        [{ role: 'user', id: 7 }],
        'invalid_value',
        'messages[0].id must be a text that is not empty, or left out; it is a number.',
      ],
      ['an id that is null', [{ role: 'user', id: null }], 'invalid_value', 'messages[0].id must be a text'],
      [
        'an id with half of an emoji',
        [{ role: 'user', id: HALF }],
        'invalid_key',
        'messages[0].id holds half of a surrogate pair',
      ],
      [
        'an id of 2,000 bytes',
        [{ role: 'user', id: 'x'.repeat(2000) }],
        'invalid_key',
        'messages[0].id, as stored, has 2018 bytes in UTF-8; at most 1024 are allowed.',
      ],
      [
        'an id of 600 U+0000',
        [{ role: 'user', id: '\0'.repeat(600) }],
        'invalid_key',
        'messages[0].id, as stored, has 1218 bytes',
      ],
      [
        'one id twice',
        [
          { role: 'user', id: 'a' },
          { role: 'user', id: 'a' },
        ],
        'invalid_value',
        'messages[1].id is the id of an earlier message of the same call; ids are unique in a thread.',
      ],
      [
        'an id that the thread has',
        [{ role: 'user', id: 'm1', content: 'other' }],
        'conflict',
        'The thread has, or had, a message with one of these ids',
      ],
      [
        'a time before 1970',
        [{ role: 'user', createdAtMs: -1 }],
        'invalid_value',
        'messages[0].createdAtMs must be a whole number of Unix milliseconds, or left out.',
      ],
      [
        'a time in words',
        [{ role: 'user', createdAtMs: '2026-01-01' }],
        'invalid_value',
        'messages[0].createdAtMs must be',
      ],
      [
        'a time with a fraction',
        [{ role: 'user', createdAtMs: 0.5 }],
        'invalid_value',
        'messages[0].createdAtMs must be',
      ],
      [
        'a Date in a part',
        [{ role: 'user' }, { role: 'user', content: [{ type: 'text', at: new Date(0) }] }],
        'invalid_value',
        'messages[1].content[0].at is a Date',
      ],
      [
        'NaN in a tool input',
        [{ role: 'assistant', content: [{ type: 'tool-call', input: { n: Number.NaN } }] }],
        'invalid_value',
        'messages[0].content[0].input.n is NaN',
      ],
      [
        'a function in a message',
        [{ role: 'user', toJSON: () => 1 }],
        'invalid_value',
        'messages[0].toJSON is a function',
      ],
      ['a cycle in a message', [{ role: 'user', cycle }], 'invalid_value', 'messages[0].cycle.self refers back'],
      [
        'a class instance as message',
        [
          new (class Chat {
            role = 'user'
          })(),
        ],
        'invalid_value',
        'messages[0] is a Chat',
      ],
      ['5 MiB of text', [{ role: 'user', content: 'x'.repeat(5 * 2 ** 20) }], 'too_large', 'This append has 5243'],
      [
        '5 MiB of bytes',
        [{ role: 'user', content: [new Uint8Array(5 * 2 ** 20)] }],
        'too_large',
        'at most 4194304 fit. Split it, or keep large content in a file.',
      ],
    ] as const
  ).flatMap(([what, list, code, message]): Hostile[] => [
    [`append: ${what}`, ({ chat }) => chat.append('t1', any(list), { owner: 'ada' }), code, message],
    ...(code === 'conflict'
      ? []
      : [
          [
            `append to a new thread: ${what}`,
            ({ chat }: Fixture) => chat.append('new', any(list), { owner: 'bob', opId: 'op' }),
            code,
            message,
          ] as const,
        ]),
  ]),
  ...(
    [
      ['', 'opId is empty. Give the append a name of its own, or leave it out.'],
      [5, 'opId must be a string; it is a number.'],
      [null, 'opId must be a string; it is null.'],
      [HALF, 'opId holds half of a surrogate pair'],
      ['x'.repeat(1010), 'opId, as stored, has 1028 bytes in UTF-8; at most 1024 are allowed.'],
    ] as const
  ).map(([opId, message]): Hostile => [
    `append: the opId ${JSON.stringify(opId).slice(0, 20)}`,
    ({ chat }) => chat.append('t1', [{ role: 'user', content: 'x' }], { opId: any(opId) }),
    'invalid_key',
    message,
  ]),
  ...([-1, 0.5, Number.NaN, -Infinity, '5', null, {}] as unknown[]).map((last): Hostile => [
    `messages: last ${String(last)}`,
    ({ chat }) => chat.messages('t1', { last: any(last) }),
    'invalid_value',
    'last must be a whole number from 0; it is ',
  ]),
  [
    'removeMessages of no list',
    ({ chat }) => chat.removeMessages('t1', any('m1')),
    'invalid_value',
    'ids must be a list of message ids; it is a string.',
  ],
  [
    'removeMessages of undefined',
    ({ chat }) => chat.removeMessages('t1', any(undefined)),
    'invalid_value',
    'ids must be a list of message ids; it is undefined.',
  ],
  [
    'removeMessages of messages',
    ({ chat }) => chat.removeMessages('t1', [any({ id: 'm1' })]),
    'invalid_value',
    'ids[0] must be the id of a message; it is an object.',
  ],
]
