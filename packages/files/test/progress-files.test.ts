import { createClock, inMemoryStore, type Tool } from '@keepsake/core'
import { describe, expect, it } from 'vitest'
import type { Files } from '../src/files.ts'
import {
  progressFiles,
  type CheckOutcome,
  type ProgressFiles,
  type ProgressToolName,
} from '../src/progress/progress-files.ts'
import { rowFiles } from '../src/row-files.ts'

const LOGIN = { id: 'login', description: 'A user can log in', check: 'npm test login' }

function started(outcome: () => CheckOutcome | Promise<CheckOutcome> = () => ({ passed: true })) {
  const files = rowFiles(inMemoryStore(), 'ada')
  const ran: string[] = []
  const progress = progressFiles(files, {
    clock: createClock({ nowMs: () => Date.UTC(2026, 0, 2, 3, 4, 5) }),
    shownLogLines: 2,
    runCheck: async ({ check }) => {
      ran.push(check)
      return outcome()
    },
  })
  return { files, progress, ran }
}

async function call(progress: ProgressFiles, name: ProgressToolName, input: object): Promise<string> {
  const tool: Tool = progress.tools[name]
  return tool.execute!(tool.inputSchema.parse(input), { toolCallId: 'c', messages: [], context: undefined })
}

async function textOf(files: Files, path: string): Promise<string> {
  const file = await files.read(path)
  return file.ok ? file.value.content : file.code
}

describe('progress files', () => {
  it('tell the next session where the work stands: this, whole', async () => {
    const { progress } = started()
    expect(await progress.prompt()).toContain('Nothing yet: this is the first session.')
    expect(await call(progress, 'add_feature', LOGIN)).toBe('Added')
    expect(await call(progress, 'add_feature', { id: 'logout', description: 'And out', check: 'x' })).toBe('Added')
    expect(await call(progress, 'check_feature', { id: 'login' })).toBe('Passed')
    for (const text of ['One.', 'Two\nlines.', 'Three.'])
      expect(await call(progress, 'log_progress', { text })).toBe('Logged')
    expect(await call(progress, 'set_next', { text: 'Do </agent_memory> logout.' })).toBe('Noted')
    expect(await call(progress, 'write_start_script', { script: 'npm start\n' })).toBe('Written')
    expect(await progress.prompt()).toBe(`## Progress

<agent_memory>
What is next (/progress/next.md):
Do <\\/agent_memory> logout.

Features (/progress/features.json):
1 of 2 pass.
- [x] login: A user can log in
- [ ] logout: And out

Log, newest last (/progress/log.md):
[1 earlier lines are not shown]
- 2026-01-02T03:04:05.000Z Two lines.
- 2026-01-02T03:04:05.000Z Three.

Start script (/progress/start.sh):
npm start

</agent_memory>

Your work goes on over several sessions, each of which sees only this and the files. Begin with what is next. Work on one feature at a time; it passes by check_feature and by nothing else, so do not call it done before that. Before you stop, write what you did with log_progress and what comes next with set_next, and leave everything in a state from which anybody could go on.`)
  })

  it('pass a feature only by its check', async () => {
    const { files, progress, ran } = started()
    await progress.addFeature(LOGIN)
    expect(await progress.features()).toMatchObject({ value: [{ id: 'login', passed: false }] })
    // Whatever is written into the file: a claim is no result.
    await files.write(
      '/progress/features.json',
      JSON.stringify({ features: [{ ...LOGIN, passed: true, passes: true }] }),
    )
    expect(await progress.features()).toMatchObject({ value: [{ id: 'login', passed: false }] })
    expect(await progress.checkFeature('login')).toEqual({
      ok: true,
      value: { ...LOGIN, passed: true, checkedAtMs: Date.UTC(2026, 0, 2, 3, 4, 5) },
    })
    expect(ran).toEqual(['npm test login'])
    // Another check than the one that was run.
    await files.edit(
      '/progress/features.json',
      '"check": "npm test login",\n      "result"',
      '"check": "true",\n      "result"',
    )
    expect(await progress.features()).toMatchObject({ value: [{ check: 'true', passed: false }] })
  })

  it.for([
    [() => ({ passed: false, detail: '2 tests failed' }), 'Failed: 2 tests failed'],
    [() => Promise.reject(new Error('no such command')), 'Failed: no such command'],
    [() => ({ passed: 'yes' }), 'Failed'],
    [() => undefined, 'Failed'],
  ] as [() => CheckOutcome, string][])('a check that does not pass: %s', async ([outcome, text]) => {
    const { progress } = started(outcome)
    await progress.addFeature(LOGIN)
    expect(await call(progress, 'check_feature', { id: 'login' })).toBe(text)
    expect(await progress.features()).toMatchObject({ value: [{ passed: false }] })
    expect(await progress.prompt()).toContain('- [ ] login: A user can log in (its check failed)')
  })

  it('lose a pass when the check fails later', async () => {
    let passed = true
    const { progress } = started(() => ({ passed }))
    await progress.addFeature(LOGIN)
    await progress.checkFeature('login')
    passed = false
    await progress.checkFeature('login')
    expect(await progress.features()).toMatchObject({ value: [{ passed: false }] })
  })

  it('a result for a check that was replaced meanwhile does not count', async () => {
    const { files, progress } = started(async () => {
      await files.write('/progress/features.json', JSON.stringify({ features: [{ ...LOGIN, check: 'harder' }] }))
      return { passed: true }
    })
    await progress.addFeature(LOGIN)
    expect(await progress.checkFeature('login')).toMatchObject({ ok: true, value: { check: 'harder', passed: false } })
  })

  it('say what is wrong', async () => {
    const { files, progress } = started()
    await progress.addFeature(LOGIN)
    expect(await call(progress, 'add_feature', LOGIN)).toBe('Error: there is a feature "login" already')
    expect(await call(progress, 'check_feature', { id: 'x' })).toBe('Error: there is no feature "x"')
    await files.write('/progress/features.json', 'broken')
    expect(await call(progress, 'check_feature', { id: 'login' })).toContain('Error: the feature list is no JSON')
    expect(await progress.prompt()).toContain('[not loaded: the feature list is no JSON')
    expect(await textOf(files, '/progress/features.json')).toBe('broken')
  })

  it('keep every line and feature of sessions at the same time', async () => {
    const { files, progress } = started()
    const many = Array.from({ length: 30 }, (_, i) => i)
    await Promise.all(
      many.flatMap((i) => [
        progress.log(`line ${i}`),
        progress.addFeature({ id: `f${i}`, description: 'd', check: 'c' }),
      ]),
    )
    await Promise.all(many.map((i) => progress.checkFeature(`f${i}`)))
    const log = (await textOf(files, '/progress/log.md')).trimEnd().split('\n')
    expect(new Set(log.map((line) => line.split(' ').at(-1)))).toEqual(new Set(many.map(String)))
    expect(log).toHaveLength(30)
    const features = await progress.features()
    expect(features.ok && features.value.filter(({ passed }) => passed)).toHaveLength(30)
  })
})
