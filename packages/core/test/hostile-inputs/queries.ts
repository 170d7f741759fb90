import { any, type Hostile } from './hostile.ts'

export const queries: Hostile[] = [
  ...(
    [
      ['null', null, 'filter must be an object; it is null.'],
      ['a list', [], 'filter must be an object; it is an array.'],
      ['a Date', new Date(0), 'filter is a Date'],
      ['a Map', new Map([['a', 1]]), 'filter is a Map'],
      ['bytes', Uint8Array.of(1), 'filter must be an object; it is a Uint8Array.'],
      [
        'an undefined value',
        { userId: undefined },
        'filter.userId is undefined; use { $exists: false } to ask for a missing path.',
      ],
      ['an unknown operator', { a: { $where: 'true' } }, 'filter.a.$where is no operator; known are $eq, $ne'],
      [
        'an operator in the place of a path',
        { $where: 'true' },
        'filter.$where is no operator; here are $and, $or and $not, or a path.',
      ],
      ['a function', { a: () => true }, 'filter.a is a function'],
      ['a comparison with null', { a: { $gt: null } }, 'filter.a.$gt must be a number or a text; it is null.'],
      ['$in without a list', { a: { $in: 'x' } }, 'filter.a.$in must be a list of values; it is a string.'],
      ['$or without a list', { $or: {} }, 'filter.$or must be a list of filters; it is an object.'],
    ] as const
  ).flatMap(([what, filter, message]): Hostile[] => [
    [
      `list: a filter that is or has ${what}`,
      ({ notes }) => notes.list([], { filter: any(filter) }),
      'invalid_value',
      message,
    ],
    [
      `search: a filter that is or has ${what}`,
      ({ notes }) => notes.search([], 'x', { filter: any(filter) }),
      'invalid_value',
      message,
    ],
  ]),
  ...([undefined, null, 5, ['x'], {}] as unknown[]).map((query): Hostile => [
    `search: the query ${JSON.stringify(query)}`,
    ({ notes }) => notes.search([], any(query)),
    'invalid_value',
    'query must be a text; it is ',
  ]),
  ...([0, -1, 0.5, Number.NaN, '1'] as unknown[]).map((depth): Hostile => [
    `prefixes: depth ${String(depth)}`,
    ({ notes }) => notes.prefixes([], { depth: any(depth) }),
    'invalid_value',
    'depth must be a whole number from 1; it is ',
  ]),
]
