import type { PhraseBook } from "../phrases.ts";

export const SPANISH: PhraseBook = {
  chatbot_voice: [
    "como ?un ?gran modelo de lenguaje ?de ?ia no|puedo|tengo|soy|mi|me",
    "como ?una inteligencia artificial no|puedo|tengo|soy|mi|me",
    "como ?una ia no|puedo|tengo|soy|mi|me",
    "como asistente de ia no|puedo|tengo|soy|mi|me",
    "lo siento ?pero no puedo ayudar*|cumplir|proporcionar|generar|crear|completar|acceder",
  ],
  knowledge_cutoff: [
    "hasta|según|en|desde mi última actualización",
    "mis datos de entrenamiento llegan|terminan|se",
    "mis conocimientos llegan|terminan|se ?extienden",
  ],
  chat_opener: [
    "^claro ?que ?sí aquí|he|a",
    "^por supuesto aquí|he|a",
    "^desde luego aquí|he|a",
    "^con gusto aquí|he|a",
    "aquí tienes|está el|la|un|una|tu artículo|texto|versión|borrador",
  ],
  chat_closer: [
    "^espero que esto|este ?artículo|texto … ayude|útil|sirva|cumpla",
    "házmelo|hágamelo saber si quieres|deseas|necesitas|quiere|desea|necesita",
    "avísame|avíseme|dime|dígame si quieres|deseas|necesitas|quiere|desea|necesita",
    "quieres|deseas que ?lo|la|te|le|yo amplíe|escriba|añada|agregue|adapte|haga|reescriba|ajuste|continúe",
    "te|le gustaría que ?lo|la|te|le|yo amplíe|escriba|añada|agregue|adapte|haga|reescriba|ajuste|continúe",
  ],
  prompt_echo: [
    "^escribe|redacta|crea un artículo seo|de|completo|optimizado|detallado",
    "^eres un|una experto|experta|redactor|redactora … seo|redacción|contenidos",
    "^palabra clave ?principal:",
    "^palabras clave:",
    "^número de palabras:",
    "^público objetivo:",
    "^tono:",
  ],
};
