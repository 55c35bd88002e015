"""All facts about the platforms: their keys, limits and rules, and what their workers and servers do."""
