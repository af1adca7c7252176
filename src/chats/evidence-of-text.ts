import { raw } from 'sql-template-tag';
import { EXTRACTIVE } from '../models/llm/no-language-model.js';

/**
 * The evidence of a turn `t`. Its sources are included only if they decide which parts of the text are quotes. Only for
 * reads of the text, because sources are the largest part.
 */
export const EVIDENCE_OF_TEXT = raw(`case
    when t.evidence ? 'quotations' or t.evidence ->> 'model' is distinct from '${EXTRACTIVE}'
      then (t.evidence - 'source_fingerprints') || '{"sources": []}'
    else t.evidence end as evidence`);
