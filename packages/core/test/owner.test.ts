import { describe, expect, it } from 'vitest'
import { checkedSubject, ownerEntity, ownerKey, subjectEntity, threadEntity } from '../src/owner.ts'
import { caught } from './caught.ts'

describe('entities', () => {
  it.each([
    [ownerEntity('ada'), 'owner\u0001ada\u0001'],
    [ownerEntity(['ada']), 'owner\u0001ada\u0001'],
    [ownerEntity(['users', 'ada']), 'owner\u0001users\u0001ada\u0001'],
    [ownerEntity(['users', '']), 'owner\u0001users\u0001\u0001'],
    [ownerEntity('users\u0001ada'), 'owner\u0001users\u0002\u0002ada\u0001'],
    [ownerEntity('\0'), 'owner\u0001\u0002\u0001\u0001'],
    [threadEntity('t1'), 'thread\u0001t1\u0001'],
    [threadEntity('__proto__'), 'thread\u0001__proto__\u0001'],
    [subjectEntity('ada'), 'subject\u0001ada\u0001'],
    [subjectEntity(['users', 'ada']), 'subject\u0001users\u0001ada\u0001'],
  ])('%j', (entity, expected) => {
    expect(entity).toBe(expected)
  })

  it('never meet: an owner, a thread and a subject of one name', () => {
    expect(new Set([ownerEntity('ada'), threadEntity('ada'), subjectEntity('ada')]).size).toBe(3)
  })
})

describe('owners that are nobody', () => {
  it.each<[unknown, string]>([
    ['', "owner is empty. Say whose memory it is: nobody's would be everybody's."],
    [[], 'owner is empty.'],
    [[''], 'owner is empty.'],
    [['', ''], 'owner is empty.'],
    [undefined, "owner must be a name or a list of names, such as 'ada' or ['users', 'ada']; it is undefined."],
    [null, 'it is null.'],
    [5, 'it is a number.'],
    [{ id: 'ada' }, 'it is an object.'],
    [['users', undefined], 'owner[1] must be a string; it is undefined.'],
    [['users', 5], 'owner[1] must be a string; it is a number.'],
    ['\uD83D', 'owner holds half of a surrogate pair'],
    [['users', '\uD83D'], 'owner[1] holds half of a surrogate pair'],
  ])('%j', async (owner, message) => {
    const error = await caught(() => ownerEntity(owner as string))
    expect(error.code).toBe('invalid_key')
    expect(error.message).toContain(message)
  })

  it('are too long where the entity would be', async () => {
    // "owner", U+0001, the name, U+0001.
    ownerEntity('x'.repeat(505))
    const error = await caught(() => ownerEntity('x'.repeat(506)))
    expect(error.message).toBe('owner, as stored, has 513 bytes in UTF-8; at most 512 are allowed.')
    expect((await caught(() => ownerEntity('\u0001'.repeat(253)))).code).toBe('invalid_key')
  })
})

describe('threads and subjects', () => {
  it.each<[unknown, string]>([
    ['', 'threadId is empty. Give every conversation an id.'],
    [undefined, 'threadId must be a string; it is undefined.'],
    [['t1'], 'threadId must be a string; it is an array.'],
    ['\uDE00', 'threadId holds half of a surrogate pair'],
    ['x'.repeat(505), 'threadId, as stored, has 513 bytes in UTF-8; at most 512 are allowed.'],
  ])('a thread id %#', async (id, message) => {
    const error = await caught(() => threadEntity(id as string))
    expect(error.code).toBe('invalid_key')
    expect(error.message).toContain(message)
  })

  it('name what they are in the message', async () => {
    expect((await caught(() => subjectEntity(''))).message).toMatch(/^subject is empty\./)
  })
})

describe('ownerKey', () => {
  it('is a copy', () => {
    const owner = ['users', 'ada']
    const key = ownerKey(owner)
    owner[1] = 'bob'
    expect(key).toEqual(['users', 'ada'])
  })
})

describe('checkedSubject', () => {
  it('is a tuple that can have a directory', async () => {
    expect(checkedSubject('ada')).toEqual(['ada'])
    expect((await caught(() => checkedSubject('x'.repeat(504)))).message).toBe(
      'subject, as stored, has 513 bytes in UTF-8; at most 512 are allowed.',
    )
  })
})
