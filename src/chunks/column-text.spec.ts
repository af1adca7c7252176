import { queryVectorText, vectorOf, vectorText } from './column-text.js';

describe('the text of a vector', () => {
  it('keeps seven places, and no white space', () => {
    const text = vectorText(Float32Array.of(1, 0, -0.5, 0.12345678, -3e-7, 1e-9));
    expect(text).toBe('[10000000e-7,0e-7,-5000000e-7,1234568e-7,-3e-7,0e-7]');
    expect([...vectorOf(text)].map((x) => Number(x.toFixed(8)))).toEqual([1, 0, -0.5, 0.1234568, -3e-7, 0]);
  });

  it('has the same digits in a query', () => {
    const vector = Float32Array.of(1, 0, -0.5, 0.12345678, -3e-7, 1e-9, 4.5e-5);
    expect(vectorOf(queryVectorText(vector))).toEqual(vectorOf(vectorText(vector)));
  });
});
