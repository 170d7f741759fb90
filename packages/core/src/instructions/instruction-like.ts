/** Why a text reads as an instruction to an agent rather than as something to know. */
export type InstructionSign = 'override' | 'role' | 'secrecy' | 'order' | 'trigger' | 'leak' | 'invisible'

/** A word of up to 40 characters' distance: patterns stay linear. */
const NEAR = '[^.!?\\n。！？]{0,40}?'

/** Each pattern is tried once on the text in lower case; none has two repetitions that could take the same characters. */
const SIGNS: readonly (readonly [InstructionSign, RegExp])[] = [
  // Tags, zero-width and direction marks that hide text from people and not from models.
  ['invisible', /[\u{e0001}\u{e0020}-\u{e007f}\u202a-\u202e\u2066-\u2069]|[\u200b\u2060\ufeff]{2}/u],
  ['role', /(?:^|\n)[ \t#*>]{0,8}(?:system|developer|assistant|系统)(?: (?:message|prompt|note))?[ \t]{0,4}[:：]/u],
  ['role', /<\/?(?:system|instructions?|assistant|developer|tool_call|tool_result|function_calls?)\b[^>\n]{0,40}>/u],
  [
    'role',
    /<\|(?:im_start|im_end|system|user|assistant|endoftext)|\[\/?inst\]|<<sys>>|#{2,4} (?:new |system )?instructions?\b/u,
  ],
  [
    'override',
    new RegExp(
      `\\b(?:ignore|disregard|forget|override|bypass) ${NEAR}\\b(?:previous|prior|above|earlier|preceding|all|any|other|your|system|safety)\\b${NEAR}\\b(?:instructions?|rules|prompts?|guidelines|directions|restrictions|policies)\\b`,
      'u',
    ),
  ],
  [
    'override',
    new RegExp(
      `\\b(?:ignorier\\p{L}{0,3}|vergiss|missachte\\p{L}?|übergeh\\p{L}{0,2})(?!\\p{L})${NEAR}(?:anweisung|regel|vorgabe|richtlinie|instruktion)`,
      'u',
    ),
  ],
  [
    'override',
    new RegExp(
      `(?:ignore[rz]?|ignorez|oublie[rz]?|ne tiens? pas compte)(?!\\p{L})${NEAR}(?:instructions|consignes|règles|directives)${NEAR}(?:précédentes|ci-dessus|antérieures|système)`,
      'u',
    ),
  ],
  [
    'override',
    new RegExp(
      `(?:ignora|ignore|olvida|haz caso omiso)(?!\\p{L})${NEAR}(?:instrucciones|reglas|indicaciones)${NEAR}(?:anteriores|previas|del sistema)`,
      'u',
    ),
  ],
  ['override', /(?:忽略|无视|忘记|忘掉)[^。！？\n]{0,16}(?:指令|指示|提示|规则|说明)/u],
  [
    'secrecy',
    new RegExp(
      `\\b(?:do not|don't|never|without|avoid)\\b${NEAR}\\b(?:tell|telling|inform|informing|mention|mentioning|reveal|revealing|show|showing|notify|notifying|ask|asking|let)\\b${NEAR}\\b(?:the users?|users?|the humans?|the operators?|this (?:instruction|note|memory))\\b`,
      'u',
    ),
  ],
  [
    'secrecy',
    /(?:sag|sage|verrate|zeige|ohne)[^.!?\n]{0,30}(?:nutzer|benutzer|anwender)(?:in|n)?[^.!?\n]{0,20}(?:nicht|nichts|zu (?:sagen|fragen|informieren))/u,
  ],
  [
    'secrecy',
    /(?:ne (?:le |la )?(?:dis|dites|révèle|montre)[^.!?\n]{0,20}(?:pas|rien)|sans (?:le dire|en parler|prévenir))[^.!?\n]{0,20}utilisateur/u,
  ],
  [
    'secrecy',
    /(?:no (?:se )?(?:lo |le )?(?:digas|cuentes|muestres|reveles)|sin (?:decir|avisar))[^.!?\n]{0,30}usuario/u,
  ],
  ['secrecy', /(?:不要|别|不得|禁止)[^。！？\n]{0,8}(?:告诉|告知|透露)[^。！？\n]{0,8}(?:用户|使用者)/u],
  [
    'order',
    new RegExp(
      `\\b(?:you are now|from now on,? (?:you|the (?:assistant|agent|model|ai))|pretend (?:to be|you are)|developer mode|jailbreak)\\b|\\bnew instructions?:`,
      'u',
    ),
  ],
  [
    'order',
    new RegExp(
      `\\b(?:assistants?|agents?|ais?|models?|chatbots?|bots?|llms?)\\b (?:\\p{L}{1,12} ){0,3}?(?:must|shall|should always|should never|has to|have to|is (?:required|instructed|ordered) to|are (?:required|instructed|ordered) to)\\b`,
      'u',
    ),
  ],
  [
    'order',
    /(?:ab (?:jetzt|sofort) (?:bist|musst|wirst|sollst) du|(?:assistent|agent|modell|ki|bot)\p{L}{0,2} (?:muss|soll) (?:immer|nie|stets))/u,
  ],
  [
    'order',
    /à partir de maintenant,? (?:tu|vous) (?:es|êtes|dois|devez|vas|allez)|(?:l'assistant|l'agent|le modèle) doit (?:toujours|ne jamais)/u,
  ],
  [
    'order',
    /a partir de ahora,? (?:eres|debes|tienes que|vas a)|el (?:asistente|agente|modelo) debe (?:siempre|nunca)/u,
  ],
  ['order', /从现在(?:开始|起)[，,]?你|你现在是|(?:助手|代理|模型)(?:必须|应当始终|绝不能)/u],
  [
    'trigger',
    new RegExp(
      `\\b(?:when|whenever|if|each time|every time)\\b (?:the |a |an |any )?(?:users?|customers?|anyone|anybody|someone|somebody|people|asked)\\b${NEAR}\\b(?:always|never|reply|respond|recommend|insist|answer that|say that|instead)\\b`,
      'u',
    ),
  ],
  [
    'leak',
    new RegExp(
      `\\b(?:send|post|forward|upload|exfiltrate|leak|email|transmit|append)\\b${NEAR}\\b(?:conversations?|history|memories|secrets?|passwords?|credentials|api keys?|tokens?|private data|personal data|system prompt)\\b${NEAR}(?:https?://|\\bto \\S{1,60}@)`,
      'u',
    ),
  ],
  [
    'leak',
    /https?:\/\/[^\s)\]]{1,120}[?&=/](?:\{\{?|\$\{|<|%7b)(?:data|secret|history|conversation|memory|memories|token|password|prompt)/u,
  ],
]

/**
 * Whether a text reads as an instruction to an agent (to drop its rules, to hide something, to send something away), in
 * English, German, French, Spanish and Chinese: the sign of it, or `undefined`. For what models write to memory that others
 * share, where a fact may stand and an order may not.
 *
 * A heuristic and no proof: it knows forms, and whoever knows it can write around them. It is one layer beside quarantine,
 * permissions and not telling an agent to obey its memory. Linear time.
 */
export function instructionLike(text: string): InstructionSign | undefined {
  const lower = text.toLowerCase().replaceAll('’', "'")
  return SIGNS.find(([, pattern]) => pattern.test(lower))?.[0]
}
