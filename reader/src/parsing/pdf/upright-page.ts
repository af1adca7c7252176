import type { PDFPageProxy } from 'pdfjs-dist';
import { turned } from './layout/directions.js';

/** Edges of an upright page in points, y upwards. */
export interface PageEdges {
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
  readonly top: number;
}

export function edgesOf({ view, rotate }: Pick<PDFPageProxy, 'view' | 'rotate'>): PageEdges {
  const [left = 0, bottom = 0, right = 0, top = 0] = view;
  const corner = (x: number, y: number): { readonly x: number; readonly y: number } =>
    turned({ str: '', x, y, width: 0, size: 0 }, -rotate);
  const [a, b] = [corner(left, bottom), corner(right, top)];
  return {
    left: Math.min(a.x, b.x),
    right: Math.max(a.x, b.x),
    bottom: Math.min(a.y, b.y),
    top: Math.max(a.y, b.y),
  };
}
