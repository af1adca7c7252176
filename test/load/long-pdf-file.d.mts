/** A PDF of so many pages of text; no two pages say the same. */
export function longPdf(pages: number): Promise<Buffer>;
