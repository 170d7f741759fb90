import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import type { Context } from './context.ts'
import { wholeNumber } from './whole-number.ts'

/** The options that every command takes. */
export interface GlobalOptions {
  store?: string
  json?: boolean
  verbose?: boolean
}

/** A command's module: imported only when the command is run, so that help is quick. */
interface CommandModule {
  run: (context: Context, ...input: any[]) => Promise<void>
}

/**
 * All that can be typed, with its help; what it does is in `commands/`. `silent` keeps commander's own errors from
 * being written, for whoever reports them in another form.
 */
export function buildProgram(silent: boolean, contextOf: (options: GlobalOptions) => Context): Command {
  const program = new Command('keepsake')
    .description('Look at, check, provision, move, export and erase what agents remember.')
    .version(version(), '-V, --version', 'show the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show the help of a command')
    .option('--store <uri>', 'address of the store (default: $KEEPSAKE_STORE, else sqlite:keepsake.db)')
    .option('--json', 'results as JSON, one value a line; errors as JSON on standard error')
    .option('--verbose', 'show the stack and causes of an error')
    .configureHelp({ showGlobalOptions: true, styleTitle: bold })
    .configureOutput({ outputError: () => {}, ...(silent && { writeErr: () => {} }) })
    .exitOverride()
    .addHelpText('after', programNotes())

  const act = (load: () => Promise<CommandModule>) =>
    async function (this: Command, ...input: unknown[]): Promise<void> {
      // Commander puts the command itself last.
      const context = contextOf(this.optsWithGlobals<GlobalOptions>())
      const { run } = await load()
      await run(context, ...input.slice(0, -1))
    }

  program
    .command('entities')
    .description('list whose memory the store holds')
    .option('--prefix <entity>', 'only those that begin with these segments')
    .option('--limit <n>', LIMIT_HELP, wholeNumber(1))
    .action(act(() => import('./commands/entities.ts')))
    .addHelpText('after', examples(['keepsake entities', 'keepsake entities --prefix owner']))

  program
    .command('ls')
    .description('list the rows of an entity: key, version, size and times')
    .argument('<entity>', 'as `keepsake entities` shows it')
    .option('--prefix <key>', 'only keys that begin with these segments')
    .option('--limit <n>', LIMIT_HELP, wholeNumber(1))
    .action(act(() => import('./commands/ls.ts')))
    .addHelpText('after', examples(['keepsake ls owner/ada', 'keepsake ls owner/ada --prefix r/memories']))

  program
    .command('get')
    .description('show one row with all that it holds')
    .argument('<entity>', 'as `keepsake entities` shows it')
    .argument('<key>', 'as `keepsake ls` shows it')
    .action(act(() => import('./commands/get.ts')))
    .addHelpText(
      'after',
      examples(['keepsake get owner/ada r/memories/food', 'keepsake get owner/ada r/memories/food --json | jq .value']),
    )

  program
    .command('threads')
    .description('list conversations')
    .option('--owner <owner>', "only this owner's, newest first")
    .option('--limit <n>', LIMIT_HELP, wholeNumber(1))
    .action(act(() => import('./commands/threads.ts')))
    .addHelpText('after', examples(['keepsake threads', 'keepsake threads --owner ada --limit 20']))

  program
    .command('thread')
    .description('show a conversation')
    .command('show')
    .description('show the messages of a conversation, oldest first')
    .argument('<id>', 'as `keepsake threads` shows it')
    .option('--last <n>', 'only so many of the newest', wholeNumber(1))
    .action(act(() => import('./commands/thread-show.ts')))
    .addHelpText('after', examples(['keepsake thread show t1', 'keepsake thread show t1 --last 20 --json']))

  program
    .command('records')
    .description('list the records of an owner: those that its agents see, neither removed nor expired')
    .argument('<owner>', 'such as ada or users/ada')
    .argument('[prefix...]', 'only keys that begin with these segments')
    .option('--filter <json>', 'only values that match, such as \'{"topic":"food"}\'')
    .option('--limit <n>', LIMIT_HELP, wholeNumber(1))
    .action(act(() => import('./commands/records.ts')))
    .addHelpText(
      'after',
      examples(['keepsake records ada', 'keepsake records users/ada memories --filter \'{"score":{"$gte":3}}\'']),
    )

  program
    .command('provision')
    .description('create or migrate what the store needs')
    .option('--to <version>', 'stop at this version of the schema', wholeNumber(0))
    .option('--down', 'go back instead: remove tables WITH ALL THEIR ROWS')
    .option('--yes', 'really do so; needed with --down')
    .option('--print', 'print the SQL for your own migration tool, and run nothing')
    .action(act(() => import('./commands/provision.ts')))
    .addHelpText(
      'after',
      examples(['keepsake provision --store sqlite:app.db', 'keepsake provision --print > keepsake.sql']),
    )

  program
    .command('verify')
    .description('say whether the store is ready for use')
    .action(act(() => import('./commands/verify.ts')))
    .addHelpText('after', examples(['keepsake verify || keepsake provision']))

  program
    .command('reindex')
    .description('bring the search index in the database in line with the records, or empty it')
    .argument('[owner...]', 'only these, such as ada or users/ada (default: everybody)')
    .option('--fields <paths>', 'what of a value is searched, as dotted paths parted by commas (default: every text)')
    .option('--table <name>', "the index's table (default: keepsake_search)")
    .option('--empty', 'empty it, so that applications fill it when they next search')
    .action(act(() => import('./commands/reindex.ts')))
    .addHelpText(
      'after',
      examples(['keepsake reindex', 'keepsake reindex ada --fields content', 'keepsake reindex --empty']),
    )

  program
    .command('export')
    .description('write whole rows as JSON Lines')
    .option('--entity <entity>', 'only the rows of this entity')
    .option('--subject <person>', 'instead: all that is held about a person, for the person to read')
    .option('--out <file>', 'write to this file, which appears when it is complete')
    .option('--resume', 'go on with an export to --out that was interrupted')
    .action(act(() => import('./commands/export.ts')))
    .addHelpText(
      'after',
      examples(['keepsake export | gzip > memory.jsonl.gz', 'keepsake export --subject ada --out ada.jsonl']),
    )

  program
    .command('import')
    .description('write the rows of an export, unless what is stored is newer')
    .argument('<file>', 'as `keepsake export` wrote it; - reads standard input')
    .action(act(() => import('./commands/import.ts')))
    .addHelpText(
      'after',
      examples(['keepsake import memory.jsonl', 'gunzip -c memory.jsonl.gz | keepsake import - --store sqlite:app.db']),
    )

  program
    .command('erase')
    .description('say what is held about a person; with --yes, erase all of it')
    .argument('<subject>', 'such as ada or users/ada')
    .option('--dry-run', 'only count what would go (the default)')
    .option('--yes', 'really erase it; can be interrupted and repeated')
    .option('--grace <seconds>', 'how long what is under way may take to land (default: 60)', wholeNumber(0))
    .option('--table <name>', "the search index's table (default: keepsake_search, if there is one)")
    .action(act(() => import('./commands/erase.ts')))
    .addHelpText('after', examples(['keepsake erase ada', 'keepsake erase users/ada --yes']))

  program
    .command('sweep')
    .description('say what is older than it should be; with --yes, remove it')
    .option(
      '--keep <kind=period>',
      'messages, checkpoints, records[:namespace], files, dead_letters or audit, and how long (h, d, w, y); may be repeated',
      (rule: string, all?: string[]) => [...(all ?? []), rule],
    )
    .option('--dry-run', 'only count what is due (the default)')
    .option('--yes', 'really remove it; can be interrupted and repeated')
    .option('--pause <ms>', 'let others have their turn after each batch', wholeNumber(0))
    .option('--full', 'look at all records and files, as after an import of old ones')
    .action(act(() => import('./commands/sweep.ts')))
    .addHelpText('after', examples(['keepsake sweep --keep messages=365d --keep records:episodes=90d --yes']))

  program
    .command('why')
    .description('say where a record came from: the turns, files, tools and records that it was derived from')
    .argument('<owner>', 'such as ada or users/ada')
    .argument('<key>', 'as `keepsake records` shows it')
    .action(act(() => import('./commands/why.ts')))
    .addHelpText('after', examples(['keepsake why users/ada memories/food']))

  program
    .command('review')
    .description('show records or memory files that came from untrusted content; approve or delete one')
    .argument('<owner>', 'such as ada or users/ada')
    .argument('[key]', 'as `keepsake records` shows it; of a file its path')
    .option('--files', 'memory files in the store instead of records')
    .option('--root <folder>', 'memory files in a folder')
    .option('--approve', 'let it be recalled from now on')
    .option('--reject', 'delete it')
    .action(act(() => import('./commands/review.ts')))
    .addHelpText(
      'after',
      examples([
        'keepsake review ada',
        'keepsake review ada memories/food --approve',
        'keepsake review ada /AGENTS.md --files --approve',
      ]),
    )

  program
    .command('redact')
    .description('show what redaction would replace, in a text or in what is stored; changes nothing')
    .argument('[file]', 'a text; - reads standard input')
    .option('--stored', 'instead: count what the values in the store hold')
    .option('--entity <entity>', 'the same, in this entity alone')
    .action(act(() => import('./commands/redact.ts')))
    .addHelpText(
      'after',
      examples([
        'keepsake redact notes.md',
        'pbpaste | keepsake redact -',
        'keepsake redact --stored --store sqlite:app.db',
      ]),
    )

  program
    .command('migrate')
    .description('move all rows of one store into another, empty one; can be interrupted and repeated')
    .argument('<from>', 'address of the store that has the rows; it is only read')
    .argument('<to>', 'address of the provisioned store that gets them')
    .option('--final', 'all who write have stopped: remove what FROM no longer has, and finish')
    .option('--verify', 'only compare every row of the two')
    .action(act(() => import('./commands/migrate.ts')))
    .addHelpText('after', examples(MIGRATION))

  program
    .command('doctor')
    .description('check Node, the installed packages and the store, and say what to do')
    .action(act(() => import('./commands/doctor.ts')))
    .addHelpText('after', examples(['keepsake doctor', 'keepsake doctor --store sqlite:app.db --json']))

  return program
}

const LIMIT_HELP = 'at most so many (default: 100, with --json all)'

const MIGRATION = [
  'keepsake migrate sqlite:app.db redis://localhost:6379',
  'keepsake migrate sqlite:app.db redis://localhost:6379 --final',
  'keepsake migrate sqlite:app.db redis://localhost:6379 --verify',
]

function programNotes(): string {
  const notes = `
Entities and keys are written as segments joined with /. Inside a segment / is \\/, \\ is \\\\
and invisible characters are \\uXXXX. Text that begins with [ or " is read as JSON.

Exit codes: 0 done, 1 failed, 2 usage, 3 not found, 4 not provisioned, 5 interrupted and
resumable, 130 interrupted.
`
  return (
    notes +
    examples(['keepsake doctor', 'keepsake threads --store sqlite:app.db', 'keepsake records ada --json | jq .value'])
  )
}

function examples(lines: readonly string[]): string {
  return `\n${bold('Examples:')}\n${lines.map((line) => `  ${line}`).join('\n')}`
}

/** Commander takes the colour off again where the output shows none. */
function bold(title: string): string {
  return `\u001b[1m${title}\u001b[22m`
}

function version(): string {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  return (JSON.parse(manifest) as { version: string }).version
}
