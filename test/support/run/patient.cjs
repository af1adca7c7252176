/* global jest */
// Crashes, loads and histories take as long as their sizes are large. What they wait for has deadlines of its own.
jest.setTimeout(2 * 60 * 60_000);
