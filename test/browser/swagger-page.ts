import type { Locator, Page } from 'playwright-core';

/** The response of an operation as Swagger UI shows it. */
export interface Shown {
  readonly status: number;
  readonly text: string;
}

/** Swagger UI renders only the operations on the screen if there are 150 tags and operations or more. */
const EVERYTHING = { width: 1_280, height: 20_000 };

/** Swagger UI, driven as a person uses it. */
export class SwaggerPage {
  private constructor(private readonly page: Page) {}

  /** Opens `/docs` of a service and authorises with a key. */
  static async open(page: Page, url: string, key: string): Promise<SwaggerPage> {
    await page.setViewportSize(EVERYTHING);
    await page.goto(`${url}/docs`);
    await page.locator('.opblock').first().waitFor();
    await page.locator('button.authorize').first().click();
    await page.locator('.modal-ux input').fill(key);
    await page.locator('.modal-ux button.authorize').click();
    await page.locator('.modal-ux .btn-done').click();
    return new SwaggerPage(page);
  }

  /** Returns the names of the tags, from top to bottom. */
  tags(): Promise<string[]> {
    return attributesOf(this.page.locator('.opblock-tag'), 'data-tag');
  }

  /** Returns the description above the operations. */
  introduction(): Promise<string> {
    return this.page.locator('.information-container').innerText();
  }

  /** Returns the operations, such as `GET /documents`, from top to bottom. */
  async operations(): Promise<string[]> {
    const methods = await this.page.locator('.opblock-summary-method').allTextContents();
    const paths = await attributesOf(this.page.locator('.opblock-summary-path'), 'data-path');
    return methods.map((method, at) => `${method} ${paths[at] ?? ''}`);
  }

  /** Opens the form of an operation ("Try it out"). */
  async tryOut(operation: string): Promise<SwaggerForm> {
    const [method = '', path = ''] = operation.split(' ');
    const block = this.page
      .locator(`.opblock-${method.toLowerCase()}`)
      .filter({ has: this.page.locator(`[data-path="${path}"]`) });
    await block.locator('.opblock-summary-control').click();
    await block.locator('.try-out__btn').click();
    await block.locator('.btn.execute').waitFor();
    return new SwaggerForm(block);
  }
}

export class SwaggerForm {
  constructor(private readonly block: Locator) {}

  /** Returns names and values of the form fields, without the JSON body. */
  async inputs(): Promise<(readonly [name: string, value: string])[]> {
    const inputs: (readonly [string, string])[] = [];
    for (const attribute of ['data-param-name', 'data-property-name']) {
      for (const row of await this.block.locator(`tr[${attribute}]`).all()) {
        const fields = row.locator('input:not([type=checkbox]), select, textarea');
        // An empty list has no field.
        const value = (await fields.count()) === 0 ? '' : await fields.first().inputValue();
        inputs.push([(await row.getAttribute(attribute)) ?? '', value]);
      }
    }
    return inputs;
  }

  async fill(name: string, value: string): Promise<void> {
    await this.row(name).locator('input, textarea').first().fill(value);
  }

  async attach(name: string, path: string): Promise<void> {
    await this.row(name).locator('input[type=file]').setInputFiles(path);
  }

  /** Returns the JSON body; null if the operation has none. */
  async body(): Promise<string | null> {
    const area = this.block.locator('.body-param__text');
    return (await area.count()) === 0 ? null : area.inputValue();
  }

  async writeBody(text: string): Promise<void> {
    await this.block.locator('.body-param__text').fill(text);
  }

  /** Executes the form with its current values, and closes it. */
  async execute(): Promise<Shown> {
    await this.send();
    const live = this.block.locator('.live-responses-table .response').first();
    const status = Number.parseInt(await live.locator('.response-col_status').innerText(), 10);
    const text = await live.locator('.response-col_description').innerText();
    await this.block.locator('.opblock-summary-control').click();
    return { status, text };
  }

  async send(): Promise<void> {
    await this.block.locator('.btn.execute').click();
    await this.block.locator('.live-responses-table .response').first().waitFor();
  }

  /** Returns the snippet of the executed request in one language. */
  async snippet(language: string): Promise<string> {
    const snippets = this.block.locator('.request-snippets');
    await snippets.getByText(language, { exact: true }).click();
    return snippets.locator('pre').innerText();
  }

  private row(name: string): Locator {
    return this.block.locator(`tr[data-param-name="${name}"], tr[data-property-name="${name}"]`);
  }
}

async function attributesOf(elements: Locator, name: string): Promise<string[]> {
  const values = await Promise.all((await elements.all()).map((one) => one.getAttribute(name)));
  return values.map((value) => value ?? '');
}
