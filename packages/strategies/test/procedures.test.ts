import { inMemoryStore, inProcessIndex, records } from '@keepsake/core'
import { describe, expect, it } from 'vitest'
import { procedures } from '../src/index.ts'

const setup = () => {
  const own = records(inMemoryStore(), 'ada', { index: inProcessIndex() })
  return { own, how: procedures(own) }
}

describe('procedures', () => {
  it('find the examples that are like an input, of a task type or of all', async () => {
    const { how } = setup()
    await how.addExample({ taskType: 'letter', input: 'A parcel is late', output: 'We are sorry …' })
    await how.addExample({ taskType: 'letter', input: 'A parcel is late', output: 'We are sorry …' })
    await how.addExample({ taskType: 'letter', input: 'A parcel is broken', output: 'We send another …' })
    await how.addExample({ taskType: 'report', input: 'Late trains in May', output: 'In May …' })
    expect(
      (await how.examples('my parcel came late', { taskType: 'letter' })).map(({ value }) => value.output),
    ).toEqual(['We are sorry …', 'We send another …'])
    expect(await how.examples('late')).toHaveLength(2)
    expect(await how.examples('late', { limit: 1 })).toHaveLength(1)
    // An example is found by what was asked, not by what was answered.
    expect(await how.examples('sorry')).toEqual([])
  })

  it('fill the template of a task type, and take values for data', async () => {
    const { how } = setup()
    expect(await how.fillTemplate('review', {})).toBeUndefined()
    await how.setTemplate('review', 'Review {{file}} by {{ author }}: {{file}}. Not {this} nor {{}}.')
    expect(await how.fillTemplate('review', { file: '{{author}} $&', author: 'Ada' })).toBe(
      'Review {{author}} $& by Ada: {{author}} $&. Not {this} nor {{}}.',
    )
    await expect(how.fillTemplate('review', { file: 'x' })).rejects.toThrow('needs values for author')
    await how.setTemplate('proto', '{{toString}}')
    await expect(how.fillTemplate('proto', {})).rejects.toThrow('toString')
  })

  it('count what tools are good for, the best first', async () => {
    const { how } = setup()
    for (const outcome of ['success', 'success', 'failure'] as const)
      await how.recordToolUse({ tool: 'grep', taskType: 'find', outcome })
    await how.recordToolUse({ tool: 'search', taskType: 'find', outcome: 'partial' })
    await how.recordToolUse({ tool: 'guess', taskType: 'find', outcome: 'failure' })
    await how.recordToolUse({ tool: 'guess', taskType: 'other', outcome: 'success' })
    expect(await how.toolUse('find')).toEqual([
      { tool: 'grep', taskType: 'find', success: 2, partial: 0, failure: 1 },
      { tool: 'search', taskType: 'find', success: 0, partial: 1, failure: 0 },
      { tool: 'guess', taskType: 'find', success: 0, partial: 0, failure: 1 },
    ])
    expect(await how.toolUse('nothing')).toEqual([])
  })

  it('lose no use beside others, and count a call that is repeated once', async () => {
    const { how } = setup()
    const use = { tool: 'grep', taskType: 'find', outcome: 'success' } as const
    await Promise.all(Array.from({ length: 25 }, () => how.recordToolUse(use)))
    await Promise.all(['c1', 'c1', 'c2'].map((id) => how.recordToolUse(use, { id })))
    expect((await how.toolUse('find'))[0]!.success).toBe(27)
  })

  it('keep skills by name: descriptions for every prompt, the content when it is needed', async () => {
    const { how } = setup()
    await how.setSkill({ name: 'release', description: 'How a version is published', content: '1. Tag it.' })
    await how.setSkill({ name: 'bisect', description: 'How a fault is traced', content: 'Halve it.' })
    await how.setSkill({ name: 'release', description: 'How we publish', content: '1. Test it.' })
    expect(await how.skills()).toEqual([
      { name: 'bisect', description: 'How a fault is traced' },
      { name: 'release', description: 'How we publish' },
    ])
    expect((await how.skill('release'))!.content).toBe('1. Test it.')
    expect(await how.skill('none')).toBeUndefined()
  })

  it('list more skills than a page has', async () => {
    const { how } = setup()
    for (let n = 0; n < 45; n++) await how.setSkill({ name: `s${n}`, description: 'd', content: 'c' })
    expect(await how.skills()).toHaveLength(45)
  })

  it('refuse what cannot be used before anything is written', async () => {
    const { own, how } = setup()
    await expect(how.addExample({ taskType: '', input: 'a', output: 'b' })).rejects.toThrow(
      'An example: taskType must be',
    )
    await expect(how.setTemplate('t', 3 as never)).rejects.toThrow('A template: template must be')
    await expect(how.recordToolUse({ tool: 't', taskType: 'x', outcome: 'fine' as never })).rejects.toThrow(
      'outcome must be',
    )
    await expect(how.setSkill({ name: 'n', description: 'd' } as never)).rejects.toThrow('A skill: content must be')
    expect((await own.list([])).items).toEqual([])
  })
})
