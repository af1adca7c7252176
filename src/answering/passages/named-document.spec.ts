import { namesDocument } from './named-document.js';

describe('the name of a document in a question', () => {
  it.each([
    ['Summarise the travel policy', 'travel-policy.txt'],
    ['Summarize the travel policy.', 'Travel_Policy.pdf'],
    ['What does the travel policy say?', 'travel-policy.txt'],
    ['Fasse die Hausordnung zusammen', 'hausordnung.txt'],
    ['Résume le règlement de la cantine', 'reglement-cantine.md'],
    ['总结图书馆规则', '图书馆规则.txt'],
    ['لخص لائحة المكتبة', 'لائحة-المكتبة.txt'],
    ['Кратко изложи правила склада', 'правила-склада.txt'],
  ])('%p names %p', (question, filename) => {
    expect(namesDocument(question, filename)).toBe(true);
  });

  it.each([
    ['Who wrote the travel policy of the northern sites?', 'travel-policy.txt'],
    ['Summarise the travel policy', 'policy-of-visits.txt'],
    ['Summarise the notes', 'notes.txt'],
    ['Wie lang ist die Hausordnung?', 'hausordnung.txt'],
    ['How many employees does Netflix have? Tesla', 'netflix.pdf'],
    ['Summarise the travel policy', null],
  ])('%p does not name %p', (question, filename) => {
    expect(namesDocument(question, filename)).toBe(false);
  });
});
