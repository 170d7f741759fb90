import { parseArgs } from 'node:util'

const commands = ['start', 'stop', 'status', 'env'] as const

export interface Arguments {
  command: (typeof commands)[number]
  /** Those that were named, else all. */
  names: string[]
  /** Whether Debian packages may be installed. */
  install: boolean
}

export const usage = `services start|stop|status|env [NAME…] [--install]

  start    starts what does not run yet, and waits until it answers
           --install: installs missing packages with apt-get, as root
  stop     stops what was started from here, and removes its data
  status   shows what can be used
  env      prints the addresses as export lines for a shell`

/** Throws an error with what is wrong. */
export function parseArguments(args: readonly string[], known: readonly string[]): Arguments {
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { install: { type: 'boolean', default: false } },
  })
  const [name, ...names] = positionals
  const command = commands.find((candidate) => candidate === name)
  if (command === undefined) throw new Error(`Give a command: ${commands.join(', ')}.`)
  const unknown = names.filter((service) => !known.includes(service))
  if (unknown.length > 0) throw new Error(`There is no service ${unknown.join(', ')}. Known: ${known.join(', ')}.`)
  return { command, names: names.length > 0 ? names : [...known], install: values.install }
}
