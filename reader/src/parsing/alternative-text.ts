const FILE_NAME = /\.(?:png|jpe?g|gif|bmp|tiff?|emf|wmf|svg|webp)$/i;
const DEFAULT_NAME = /^(?:picture|image|img|photo|screenshot|bild|grafik|imagen|immagine)?[\s_-]*\d*$/i;

/** Markers of generated descriptions, in the languages of office programs. */
const GENERATED = new RegExp(
  [
    'description automatically generated',
    'automatisch generierte beschreibung',
    'description générée automatiquement',
    'descripción generada automáticamente',
    'descrizione generata automaticamente',
    'descrição gerada automaticamente',
    'automatisch gegenereerde beschrijving',
    'AI-generated content may be incorrect',
    'KI-generierte Inhalte können fehlerhaft sein',
    "contenu généré par l[’']IA peut être incorrect",
    'contenido generado por (?:la )?IA puede ser incorrecto',
    "contenuto generato dall[’']IA potrebbe non essere corretto",
    'conteúdo gerado por IA pode estar incorreto',
    'door AI gegenereerde inhoud is mogelijk onjuist',
  ].join('|'),
  'i',
);

/** Returns the alternative text of a picture if a person wrote it; empty for file names and generated text. */
export function writtenByPerson(alternativeText: string): string {
  const text = alternativeText.trim();
  return FILE_NAME.test(text) || DEFAULT_NAME.test(text) || GENERATED.test(text) ? '' : text;
}
