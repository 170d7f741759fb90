/** Forms that no rule of English stemming leads back to their word, as `word: forms`. */
const table = `
be: being | become: became | begin: began begun | bite: bit bitten | blow: blew blown | break: broke broken
bring: brought | build: built | buy: bought | catch: caught | choose: chose chosen | come: came | cost: costs
deal: dealt | draw: drew drawn | dream: dreamt | drink: drank drunk | drive: drove driven | eat: ate eaten
fall: fell fallen | feed: fed | feel: felt | fight: fought | find: found | fly: flew flown | forget: forgot forgotten
forgive: forgave forgiven | freeze: froze frozen | get: got gotten | give: gave given | go: went gone | grow: grew grown
hang: hung | hear: heard | hide: hid hidden | hold: held | keep: kept | know: knew known | lead: led | learn: learnt
leave: left | lend: lent | lose: lost | make: made | mean: meant | meet: met | pay: paid | ride: rode ridden
ring: rang rung | rise: rose risen | run: ran | say: said | see: saw seen | sell: sold | send: sent | shake: shook shaken
shine: shone | shoot: shot | show: shown | sing: sang sung | sink: sank sunk | sit: sat | sleep: slept | speak: spoke spoken
spend: spent | stand: stood | steal: stole stolen | stick: stuck | strike: struck | swear: swore sworn | swim: swam swum
take: took taken | teach: taught | tear: tore torn | tell: told | think: thought | throw: threw thrown
understand: understood | wake: woke woken | wear: wore worn | win: won | write: wrote written
child: children | foot: feet | goose: geese | half: halves | knife: knives | leaf: leaves | life: lives | loaf: loaves
man: men | mouse: mice | person: people | shelf: shelves | thief: thieves | tooth: teeth | wife: wives | wolf: wolves
woman: women | good: better best | bad: worse worst | far: farther farthest`

/** The word of an irregular form: `went` to `go`. */
export const irregularForms: ReadonlyMap<string, string> = new Map(
  table.split(/[|\n]/).flatMap((entry) => {
    const [word = '', forms = ''] = entry.split(':')
    return forms
      .trim()
      .split(/\s+/)
      .filter((form) => form !== '')
      .map((form) => [form, word.trim()] as const)
  }),
)
