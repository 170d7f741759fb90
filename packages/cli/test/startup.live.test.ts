import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { BIN, cleanEnv, tempFolder } from './keepsake.ts'

const REPORT = `
  process.on('exit', () => {
    const { user, system } = process.cpuUsage()
    process.stderr.write(String((user + system) / 1000))
  })`
const LOADER = `data:text/javascript,${encodeURIComponent(REPORT)}`

/** Processor time of the cheapest of several runs, in milliseconds: what else the machine does counts little in it. */
function cpuMs(args: readonly string[]): number {
  const cwd = tempFolder()
  const times = Array.from({ length: 6 }, () => {
    const { stderr } = spawnSync(process.execPath, ['--import', LOADER, ...args], { cwd, env: cleanEnv() })
    return Number(stderr.toString())
  })
  return Math.min(...times)
}

it('shows its help for less than 150 ms of work, Node itself included', () => {
  expect(cpuMs([BIN, '--help'])).toBeLessThan(150)
})

it('lists entities for less than 500 ms of work', () => {
  expect(cpuMs([BIN, 'entities', '--json', '--store', 'memory://'])).toBeLessThan(500)
})
