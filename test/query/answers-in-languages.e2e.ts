import { Documents } from '../support/documents.js';
import { SharedService } from '../support/shared-service.js';

const DOCUMENTS: Readonly<Record<string, string>> = {
  'hausordnung.txt':
    'Hausordnung des Studentenwohnheims Lindenhof.\n\nDie Ruhezeit beginnt um 22 Uhr. Im Haus gibt es 64 Zimmer auf vier Etagen. Die Waschmaschine kostet 1,80 Euro je Waschgang. Gäste dürfen höchstens drei Nächte bleiben. Der Hausmeister heißt Bernd Kohlmeyer. Kündigungen gelten zum 15. Oktober oder zum 15. April. Fahrräder gehören in den Keller.',
  'cantine.txt':
    'Fonctionnement de la cantine scolaire de Beaurieux.\n\nLe service commence à midi. Un repas coûte 3,40 euros. La cantine accueille 180 élèves répartis sur deux services. Les inscriptions se font avant le 10 du mois. La responsable est Madame Odile Garnier. Les allergies doivent être signalées par certificat médical.',
  'gimnasio.txt':
    'Reglamento del gimnasio Atlas.\n\nEl gimnasio abre de lunes a viernes. La cuota mensual es de 32 euros. Cada socio puede traer dos invitados al mes. La sala grande tiene 45 máquinas. La entrenadora principal es Marta Iglesias. Las taquillas se vacían cada noche.',
  'لائحة-المكتبة.txt':
    'لائحة مكتبة الجامعة.\n\nتفتح المكتبة أبوابها في التاسعة صباحا. يستعير الطالب خمسة كتب لمدة أسبوعين. تضم المكتبة 75000 كتاب. أمين المكتبة هو سامر خوري. غرامة التأخير عشرون قرشا عن كل يوم. يمنع إدخال الطعام إلى القاعات.',
  'общежитие.txt':
    'Правила общежития института.\n\nВ общежитии живут 420 студентов. Плата за месяц составляет 900 рублей. Входная дверь закрывается в одиннадцать часов вечера. Комендант общежития — Тамара Ильинична Белова. Гости уходят до десяти вечера. Стирка бесплатна.',
  '图书馆规则.txt':
    '市立图书馆规则。\n\n图书馆每天上午八点半开门。每位读者最多可借六本书。馆内共有藏书四十万册。馆长是林秀英。逾期每天罚款两角。儿童阅览室在二楼。',
  'urlaub.txt':
    'Regelung.\n\nAlle Beschäftigten haben 30 Tage Urlaub im Kalenderjahr. Der Urlaub wird zwei Wochen vorher beantragt. Resturlaub verfällt am 31. März des Folgejahres. Die Firma hat ihren Sitz in Kiel.',
  'mairie.txt':
    'Le bâtiment a été construit en 1932 par un architecte lyonnais. Le jardin est fermé le soir.',
  'travel-policy.txt':
    'Employees book trains in second class. Hotels are paid up to 140 euros a night. Receipts are handed in.',
  'company-facts.txt':
    'Morrow Instruments builds gauges for ships. Its employees like the canteen, and employees may bring their dogs. It employs 1,280 people at four sites. The chief executive is Daniel Okoro.',
};

const QUESTIONS: readonly (readonly [string, string])[] = [
  ['Wie viele Zimmer hat das Wohnheim?', '64'],
  ['Was kostet ein Waschgang?', '1,80'],
  ['Wer ist der Hausmeister?', 'Kohlmeyer'],
  ['Fasse die Hausordnung zusammen', 'Ruhezeit'],
  ['Combien d’élèves mangent à la cantine ?', '180'],
  ['Quel est le prix du repas ?', '3,40'],
  ['Qui est la responsable ?', 'Garnier'],
  ['¿Cuántas máquinas hay en la sala grande?', '45'],
  ['¿Cuánto cuesta la cuota mensual?', '32'],
  ['¿Quién es la entrenadora principal?', 'Iglesias'],
  ['كم كتابا تضم المكتبة؟', '75000'],
  ['كم كتابا يستعير الطالب؟', 'خمسة'],
  ['من هو أمين المكتبة؟', 'سامر'],
  ['Сколько студентов живёт в общежитии?', '420'],
  ['Какая плата за месяц?', '900'],
  ['Кто комендант общежития?', 'Белова'],
  ['图书馆有多少藏书？', '四十万'],
  ['每位读者可以借几本书？', '六本'],
  ['馆长是谁？', '林秀英'],
  ['总结图书馆规则', '上午八点半'],
  ['Wann verfällt der Resturlaub?', '31. März'],
  ['Quand le bâtiment a-t-il été construit ?', '1932'],
  ['How many employees does Morrow Instruments have?', '1,280'],
  ['Summarise the travel policy', 'second class'],
  ['Wie viele Urlaubstage habe ich?', '30 Tage'],
];

describe('answers without a language model', () => {
  let service: SharedService;
  beforeAll(async () => {
    service = await SharedService.enter();
    const documents = new Documents(() => service.client);
    for (const [name, text] of Object.entries(DOCUMENTS)) {
      await documents.ingestFile(name, new TextEncoder().encode(text));
    }
  });
  afterAll(() => service.stop());

  it.each(QUESTIONS)('to %p contain %p', async (query, expected) => {
    const answer = await service.client.post('/query', { query });
    const { completion } = answer.json() as { completion: string };
    expect(completion.split('\n\n').slice(-2).join(' ')).toContain(expected);
    expect(completion).not.toMatch(/“(?:Wie|Cuántas|Combien|a-t-il|Summarise|Fasse)”/);
  });
});
