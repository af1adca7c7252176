import { TICKED, UNTICKED } from '../check-boxes.js';
import { attributeOf, descendants, elements, type XmlElement } from '../xml/xml-tree.js';

/** Displayed text of form controls by id (OpenDocument 1.3 part 3, section 13). */
export function controlsOf(body: XmlElement): ReadonlyMap<string, string> {
  const controls = new Map<string, string>();
  for (const forms of descendants(body, 'forms')) {
    for (const form of descendants(forms, 'form')) {
      for (const control of elements(form)) {
        const id = attributeOf(control, 'xml', 'id') ?? control.attributes['form:id'];
        if (id !== undefined) controls.set(id, textOfControl(control));
      }
    }
  }
  return controls;
}

function textOfControl(control: XmlElement): string {
  const own = (name: string): string => attributeOf(control, 'form', name) ?? '';
  switch (control.name) {
    case 'checkbox':
      return `${own('current-state') === 'checked' ? TICKED : UNTICKED} ${own('label')}`.trim();
    case 'radio':
      return `${own('current-selected') === 'true' ? TICKED : UNTICKED} ${own('label')}`.trim();
    case 'listbox':
      return elements(control, 'option')
        .filter((option) => attributeOf(option, 'form', 'current-selected') === 'true')
        .map((option) => attributeOf(option, 'form', 'label') ?? '')
        .join(', ');
    case 'password':
    case 'hidden':
    case 'button':
      return '';
    default:
      return own('current-value') || own('value') || own('label');
  }
}

/** Displayed text of a form field imported from another word processor. */
export function textOfFieldMark(mark: XmlElement): string {
  const type = attributeOf(mark, 'field', 'type') ?? '';
  const values = (name: string): string[] =>
    elements(mark, 'param')
      .filter((param) => attributeOf(param, 'field', 'name') === name)
      .map((param) => attributeOf(param, 'field', 'value') ?? '');
  if (type.endsWith('FORMCHECKBOX')) return values('Checkbox_Checked')[0] === 'true' ? TICKED : UNTICKED;
  if (!type.endsWith('FORMDROPDOWN')) return '';
  return values('Dropdown_ListEntry')[Number(values('Dropdown_Selected')[0] ?? 0)] ?? '';
}
