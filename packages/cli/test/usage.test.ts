import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { keepsake, tempFolder } from './keepsake.ts'

// What is typed wrong, and what is said about it. Nothing is opened or made.
const BAD: [args: string[], message: string][] = [
  [['entitys'], "Unknown command 'entitys'\n(Did you mean entities?)"],
  [['--frob'], "Unknown option '--frob'"],
  [['entities', '--limits', '5'], "Unknown option '--limits'\n(Did you mean --limit?)"],
  [['entities', 'extra'], "Too many arguments for 'entities'. Expected 0 arguments but got 1: extra."],
  [['entities', '--limit'], "Option '--limit <n>' argument missing"],
  [['entities', '--limit', '0'], "Option '--limit <n>' argument '0' is invalid. It must be a whole number from 1."],
  [['entities', '--limit', '-1'], "Option '--limit <n>' argument '-1' is invalid. It must be a whole number from 1."],
  [['entities', '--limit', '1.5'], "Option '--limit <n>' argument '1.5' is invalid. It must be a whole number from 1."],
  [['entities', '--limit', '1e3'], "Option '--limit <n>' argument '1e3' is invalid. It must be a whole number from 1."],
  [['entities', '--limit', ''], "Option '--limit <n>' argument '' is invalid. It must be a whole number from 1."],
  [
    ['entities', '--limit', '9007199254740992'],
    "Option '--limit <n>' argument '9007199254740992' is invalid. It must be a whole number from 1.",
  ],
  [
    ['entities', '--prefix', ''],
    `--prefix is empty. For the row without a name write '""', for an empty segment '[""]'.`,
  ],
  [['ls'], "Missing required argument 'entity'. Try --help."],
  [['ls', 'a', 'b'], "Too many arguments for 'ls'. Expected 1 argument but got 2: a, b."],
  [['ls', '"a'], 'ENTITY begins like JSON and is none.'],
  [['ls', '{"a":1}', '--prefix', '[1]'], '--prefix must be a JSON string or an array of strings.'],
  [['ls', 'a\\x'], 'ENTITY has a backslash at character 2 that begins no escape.'],
  [['get', 'owner/ada'], "Missing required argument 'key'. Try --help."],
  [['get', 'owner/ada', '[[]]'], 'KEY must be a JSON string or an array of strings.'],
  [['get', '', 'k'], 'ENTITY is empty.'],
  [['thread', 'list'], "Unknown command 'list'. Try --help."],
  [['thread', 'show'], "Missing required argument 'id'. Try --help."],
  [['thread', 'show', 't', '--last', '0'], "Option '--last <n>' argument '0' is invalid."],
  [['thread', 'show', 't', '--last', 'ten'], "Option '--last <n>' argument 'ten' is invalid."],
  [['records'], "Missing required argument 'owner'. Try --help."],
  [['records', 'ada', '--filter', 'likes=tea'], `--filter is no JSON. Write it like '{"likes":"tea"}'`],
  [['records', 'ada', '--filter', '[]'], `--filter must be a JSON object, such as '{"likes":"tea"}'.`],
  [['records', 'ada', '--filter', 'null'], `--filter must be a JSON object, such as '{"likes":"tea"}'.`],
  [['records', 'ada', 'a\\'], 'PREFIX has a backslash at character 2 that begins no escape.'],
  [
    ['provision', '--to', 'two'],
    "Option '--to <version>' argument 'two' is invalid. It must be a whole number from 0.",
  ],
  [
    ['provision', '--down'],
    '--down removes tables with all their rows: everything that is remembered in sqlite:keepsake.db.',
  ],
  [['provision', '--print', '--store', 'memory://'], 'memory:// needs no SQL: run keepsake provision.'],
  [['export', '--resume'], '--resume goes on with a file: name it with --out.'],
  [['import'], "Missing required argument 'file'. Try --help."],
  [['migrate', 'sqlite:a.db'], "Missing required argument 'to'. Try --help."],
  [['migrate', 'sqlite:a.db', 'b.db'], 'A store URI begins with its scheme, as in sqlite:app.db.'],
  [['migrate', 'cassandra://h', 'sqlite:a.db'], 'Nothing opens cassandra: addresses.'],
  [['migrate', 'memory://', 'sqlite:a.db'], 'A store in memory is new and empty in every process'],
  [['migrate', 'sqlite:a.db', 'sqlite::memory:'], 'A store in memory is new and empty in every process'],
  [['migrate', 'sqlite:a.db', 'file://./a.db'], 'FROM and TO are the same store.'],
  [['migrate', 'postgresql://a:b@h/d', 'postgres://c@h/d?password=e'], 'FROM and TO are the same store.'],
  [['migrate', 'sqlite:a.db', 'sqlite:b.db', '--final', '--verify'], 'Use --final first, and --verify after it.'],
  [['verify', '--store'], "Option '--store <uri>' argument missing"],
  [['verify', '--store', ''], 'A store URI begins with its scheme, as in sqlite:app.db.'],
  [['verify', '--store', 'app.db'], 'A store URI begins with its scheme, as in sqlite:app.db.'],
  [['verify', '--store', 'sqlite:'], 'This is no sqlite: address. It has the form sqlite:PATH.'],
  [['verify', '--store', 'postgres:db'], 'This is no postgres: address.'],
  [['verify', '--store', 'cassandra://h'], 'Nothing opens cassandra: addresses. Known schemes: memory:'],
  [['provision', '--store', 'app.db'], 'A store URI begins with its scheme, as in sqlite:app.db.'],
]

describe('a wrong command line exits with 2, and says what is wrong', () => {
  it.each(BAD)('keepsake %j', async (args, message) => {
    const folder = tempFolder()
    const { code, stdout, stderr } = await keepsake(folder, args)
    expect(stderr).toMatch(/^keepsake: /)
    expect(stderr.slice('keepsake: '.length)).toContain(message)
    expect(stderr).not.toMatch(/^ {4}at /m)
    expect([code, stdout, readdirSync(folder)]).toEqual([2, '', []])
  })

  it.each<[args: string[], code: string]>([
    [['entitys', '--json'], 'usage'],
    [['--json', 'ls'], 'usage'],
    [['ls', '"a', '--json'], 'usage'],
    [['provision', '--down', '--json'], 'usage'],
    [['--json'], 'usage'],
    [['thread', '--json'], 'usage'],
  ])('keepsake %j: one line of JSON on standard error', async (args, errorCode) => {
    const { code, stdout, stderr } = await keepsake(tempFolder(), args)
    expect([code, stdout]).toEqual([2, ''])
    expect(JSON.parse(stderr)).toEqual({
      error: { code: errorCode, message: expect.any(String) as string, details: {} },
    })
    expect(stderr.indexOf('\n')).toBe(stderr.length - 1)
  })

  it.each([[[]], [['thread']]])('keepsake %j shows the help', async (args) => {
    const { code, stdout, stderr } = await keepsake(tempFolder(), args)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(
      new RegExp(`^Usage: keepsake ${args.map((arg) => `${arg} `).join('')}\\[options\\] \\[command\\]`),
    )
  })
})

describe('help', () => {
  const COMMANDS = [
    'entities',
    'ls',
    'get',
    'threads',
    'records',
    'provision',
    'verify',
    'export',
    'import',
    'migrate',
    'doctor',
  ]

  it('names every command, the exit codes and examples', async () => {
    const { code, stdout, stderr } = await keepsake(tempFolder(), ['--help'])
    expect([code, stderr]).toEqual([0, ''])
    for (const command of [...COMMANDS, 'thread']) expect(stdout).toMatch(new RegExp(`^  ${command} `, 'm'))
    for (const text of ['Exit codes: 0 done', 'Examples:', '--store', '--json', '--verbose'])
      expect(stdout).toContain(text)
    expect(stdout).not.toContain('\u001b')
  })

  it.each([...COMMANDS.map((command) => [command]), ['thread', 'show']])(
    'keepsake %s has examples',
    async (...args) => {
      const { code, stdout, stderr } = await keepsake(tempFolder(), [...args, '--help'])
      expect([code, stderr]).toEqual([0, ''])
      expect(stdout).toContain(`Usage: keepsake ${args.join(' ')}`)
      expect(stdout).toMatch(new RegExp(`Examples:\\n  keepsake ${args.join(' ')}`))
      expect(stdout).toContain('Global Options:')
    },
  )

  it('gives the version', async () => {
    expect(await keepsake(tempFolder(), ['--version'])).toEqual({ code: 0, stdout: '0.0.0\n', stderr: '' })
  })
})
