import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { findProgram } from './programs.ts'

/** Installs packages of Debian. Rejects where this machine has no apt-get or we are not root. */
export async function installPackages(packages: readonly string[]): Promise<void> {
  const apt = findProgram('apt-get')
  if (apt === undefined || process.getuid?.() !== 0) {
    throw new Error(`Only root can install ${packages.join(' ')}, and only where there is apt-get.`)
  }
  await run(apt, ['update'])
  await run(apt, ['install', '-y', '--no-install-recommends', ...packages])
}

async function run(program: string, args: readonly string[]): Promise<void> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  // Standard output is for what this command says itself.
  const child = spawn(program, args, { env, stdio: ['ignore', 2, 2] })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} failed.`)
}
