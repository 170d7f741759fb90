import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runChaos } from '../src/chaos.ts'

const driver = new URL('programs/forgetful-driver.ts', import.meta.url).href

function tempFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-chaos-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'rows.json')
}

test('a store that loses what another process writes is found', async () => {
  const result = await runChaos({ driver, uri: tempFile(), writers: 3, calls: 120, rows: 4, kills: 0 })
  expect(result).toMatchObject({ calls: 360, kills: 0, unanswered: 0 })
  expect(result.violations.length).toBeGreaterThan(0)
})

test('one process alone on that store breaks nothing, however often it is killed and goes on', async () => {
  const result = await runChaos({ driver, uri: tempFile(), writers: 1, calls: 120, rows: 4, kills: 4 })
  expect(result).toMatchObject({ violations: [], calls: 120, kills: 4, outages: 0 })
  expect(result.unanswered).toBeLessThanOrEqual(4)
  expect(result.applied).toBeGreaterThan(30)
})

test('outages are spread over the run, one after the other', async () => {
  let away = 0
  let struck = 0
  const strike = async (): Promise<void> => {
    expect(++away).toBe(1)
    await Promise.resolve()
    struck++
    away--
  }
  const outages = { times: 3, strike }
  const result = await runChaos({ driver, uri: tempFile(), writers: 1, calls: 120, rows: 4, kills: 0, outages })
  expect([result.outages, struck]).toEqual([3, 3])
})

test('a writer that fails says why', async () => {
  const missing = new URL('programs/no-driver.ts', import.meta.url).href
  const chaos = runChaos({ driver: missing, uri: 'x', writers: 1, calls: 20, kills: 0 })
  await expect(chaos).rejects.toThrow(/A writer ended with 1: [^]*no-driver/)
})
