/** Texts of the kinds that agents are sent, written for this: what an estimate of tokens must be right about. */
export const corpus: Readonly<Record<string, string>> = {
  English: `When the harbour froze over, nobody in the village could remember a winter like it. The ferry stayed at its pier for six weeks, and the post came by sledge. Could you find out which ships were held up that year, and whether the insurance paid for the damage? I'd like a short answer first, then the details.`,
  German: `Als der Hafen zufror, konnte sich im Dorf niemand an einen solchen Winter erinnern. Die Fähre blieb sechs Wochen lang am Anleger, und die Post kam mit dem Schlitten. Kannst du herausfinden, welche Schiffe damals festlagen und ob die Haftpflichtversicherung den Schaden übernommen hat?`,
  French: `Lorsque le port gela, personne au village ne se souvenait d'un hiver pareil. Le bac resta six semaines à quai, et le courrier arrivait en traîneau. Pourriez-vous trouver quels navires furent bloqués cette année-là, et si l'assurance a remboursé les dégâts ?`,
  Spanish: `Cuando el puerto se heló, nadie en el pueblo recordaba un invierno semejante. El transbordador permaneció seis semanas en el muelle y el correo llegaba en trineo. ¿Podrías averiguar qué barcos quedaron detenidos aquel año y si el seguro pagó los daños?`,
  Polish: `Kiedy port zamarzł, nikt we wsi nie pamiętał takiej zimy. Prom stał przy nabrzeżu przez sześć tygodni, a pocztę przywożono saniami. Czy możesz sprawdzić, które statki utknęły tamtego roku i czy ubezpieczyciel zapłacił za szkody?`,
  Russian: `Когда гавань замёрзла, никто в деревне не мог вспомнить такой зимы. Паром шесть недель стоял у причала, а почту привозили на санях. Можешь узнать, какие корабли застряли в тот год и заплатила ли страховая компания за ущерб?`,
  Greek: `Όταν πάγωσε το λιμάνι, κανείς στο χωριό δεν θυμόταν τέτοιον χειμώνα. Το πλοίο έμεινε έξι εβδομάδες στην προβλήτα και τα γράμματα έφταναν με έλκηθρο. Μπορείς να βρεις ποια πλοία αποκλείστηκαν εκείνη τη χρονιά;`,
  Arabic: `عندما تجمد الميناء لم يتذكر أحد في القرية شتاء مثله. بقيت العبارة ستة أسابيع عند الرصيف، وكان البريد يصل بالزلاجة. هل يمكنك أن تعرف أي السفن توقفت في تلك السنة وهل دفع التأمين ثمن الأضرار؟`,
  Hebrew: `כשקפא הנמל, איש בכפר לא זכר חורף כזה. המעבורת עמדה שישה שבועות ליד הרציף, והדואר הגיע במזחלת. תוכל לברר אילו אוניות נתקעו באותה שנה ואם הביטוח שילם על הנזק?`,
  Hindi: `जब बंदरगाह जम गया, तो गाँव में किसी को ऐसी सर्दी याद नहीं थी। नाव छह सप्ताह तक घाट पर खड़ी रही और डाक स्लेज से आती थी। क्या आप पता लगा सकते हैं कि उस वर्ष कौन से जहाज़ रुके थे?`,
  Chinese: `港口结冰的时候，村里没有人记得有过这样的冬天。渡船在码头停了六个星期，邮件只能用雪橇送来。你能查一下那一年有哪些船被困住，保险公司有没有赔偿损失吗？请先给我一个简短的回答，然后再说细节。`,
  Japanese: `港が凍ったとき、村の誰もそのような冬を覚えていなかった。渡し船は六週間も桟橋に止まったままで、郵便はそりで届いた。その年にどの船が足止めされ、保険会社が損害を支払ったかどうか調べてもらえますか。`,
  Korean: `항구가 얼어붙었을 때 마을에서 그런 겨울을 기억하는 사람은 아무도 없었다. 연락선은 여섯 주 동안 부두에 머물렀고 우편은 썰매로 왔다. 그해에 어떤 배들이 묶여 있었는지, 보험이 손해를 보상했는지 알아봐 줄 수 있나요?`,
  Thai: `เมื่อท่าเรือกลายเป็นน้ำแข็ง ไม่มีใครในหมู่บ้านจำฤดูหนาวแบบนั้นได้ เรือข้ามฟากจอดอยู่ที่ท่าหกสัปดาห์ และไปรษณีย์มาด้วยเลื่อน ช่วยหาได้ไหมว่าปีนั้นมีเรือลำใดติดอยู่บ้าง`,
  TypeScript: `export async function readThread(store: RowStore, id: string, options: ReadOptions = {}): Promise<Thread | undefined> {
  const { last = Infinity, signal } = options
  const rows = await store.scan(entityOf(id), { prefix: 'm', limit: last + 1 })
  if (rows.length === 0) return undefined
  for (const [index, row] of rows.entries()) {
    if (row.expiresAtMs !== undefined && row.expiresAtMs <= nowMs) continue
    messages.push(...decodeMessages(row.rec).map((message) => ({ ...message, place: index })))
  }
  return { id, messages: messages.toReversed(), updatedAtMs: rows[0]!.updatedAtMs }
}`,
  Python: `def harbour_log(path: str, year: int) -> list[dict[str, str]]:
    """Ships that lay in the harbour in a year."""
    with open(path, encoding="utf-8") as handle:
        rows = [line.rstrip("\\n").split(";") for line in handle if not line.startswith("#")]
    return [{"ship": name, "since": since} for name, since, until in rows if since[:4] == str(year)]`,
  JSON: `{"ships":[{"id":"s-1041","name":"Aurora","heldUp":true,"days":42,"cargo":{"coal":1250.5,"timber":310},"insurer":null},{"id":"s-1042","name":"Bonne Chance","heldUp":false,"days":0,"cargo":{"salt":80},"insurer":"Lloyd & Sons"}],"page":{"next":"eyJvZmZzZXQiOjIwfQ","total":137}}`,
  Markdown: `## Ships\n\n| ship | days | insurer |\n| --- | ---: | --- |\n| Aurora | 42 | none |\n| Bonne Chance | 0 | Lloyd & Sons |\n\n- **Aurora** lay at pier 3; see [the log](https://example.org/log/1893?ship=aurora).\n- \`Bonne Chance\` left on 1893-01-07.\n`,
  HTML: `<section class="ships"><h2>Ships</h2><ul><li data-id="1041"><a href="/ships/aurora">Aurora</a> (42 days)</li><li data-id="1042"><a href="/ships/bonne-chance">Bonne Chance</a></li></ul></section>`,
  log: `2026-03-01T09:12:44.031Z INFO  [worker-3] GET /api/v2/ships/1041 200 12ms ip=10.4.17.201\n2026-03-01T09:12:44.977Z ERROR [worker-1] POST /api/v2/claims 503 3021ms Error: connect ETIMEDOUT 10.4.17.9:5432\n`,
  ids: `550e8400-e29b-41d4-a716-446655440000 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 01HZX3V9Q0T8N5K2M7R4B6C1DE`,
  base64: `iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mNk+M9Qz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCCR0lGODlhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs`,
  emoji: `Great news 🎉🎉 the ferry is running again! 🚢❄️ See you at the pier at 10 👋🏽 — bring gloves 🧤`,
}
