"""Runs first at power-up: counts the start, and decides whether main.py may begin the game."""

from drivers import guard

guard.begin()
