import { ownerEntity, records, subjectEntity } from '../../src/index.ts'
import { any, HALF, LONG, type Hostile } from './hostile.ts'

export const nobodies: Hostile[] = (
  [
    ['an empty text', '', 'is empty. Say whose memory it is'],
    ['an empty tuple', [], 'is empty. Say whose memory it is'],
    ['a tuple of empty texts', ['', ''], 'is empty. Say whose memory it is'],
    ['null', null, "must be a name or a list of names, such as 'ada' or ['users', 'ada']; it is null."],
    ['a number', 7, 'must be a name or a list of names'],
    ['an object', { id: 'ada' }, 'must be a name or a list of names'],
    ['a tuple with undefined', ['users', undefined], '[1] must be a string; it is undefined.'],
    [
      'half of an emoji',
      HALF,
      'holds half of a surrogate pair, which no database can store; cut texts between characters',
    ],
    ['5,000 characters', LONG, 'at most 512 are allowed.'],
  ] as const
).flatMap(([what, who, message]): Hostile[] => [
  [`records of ${what}`, ({ store }) => records(store, any(who)), 'invalid_key', message],
  [
    `a record whose subject is ${what}`,
    ({ notes }) => notes.put(['k'], 1, { subject: any(who) }),
    'invalid_key',
    message,
  ],
  [
    `an append whose subject is ${what}`,
    ({ chat }) => chat.append('new', [{ role: 'user', content: 'x' }], { owner: 'ada', subject: any(who) }),
    'invalid_key',
    message,
  ],
  [`the entity of owner ${what}`, () => ownerEntity(any(who)), 'invalid_key', message],
  [`the entity of subject ${what}`, () => subjectEntity(any(who)), 'invalid_key', message],
])
